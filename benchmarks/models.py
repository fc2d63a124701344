"""Forward and train step of the ten variants, and how much memory they take at most."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import nn

from benchmarks.pairs import Batch, close, forward, full, models, reviews, train_step
from benchmarks.products import one_large_product, share_of_products
from benchmarks.race import Row, in_turn, race
from course_lib import VARIANTS

TEN = [name for name in VARIANTS if name != "gpt2"]
PEER = "transformers"
TARGETS = {"deberta": 0.60, "longformer": 0.45}
PROFILED = ("bert-base", "deberta", "longformer")
PACKED = ("bert-base", "distilbert", "tinybert-4l", "deberta")
MEMORY = ("bert-base", "deberta", "longformer")
STEPS_BESIDE = ("albert", "distilbert", "deberta", "tinybert-4l", "bert-tiny")


def rows(names: list[str], repeats: int) -> Iterator[Row]:
    """Every row of this part of the table, as it is measured."""
    yield one_large_product(repeats)
    if not names or "beside" in names:
        yield from beside_bert(repeats)
    for name in [name for name in TEN if not names or name in names]:
        ours, theirs = models(name)
        sizes = [(1, 2_048), (1, 4_096)] if name == "longformer" else [(8, 128)]
        for size in sizes:
            batch = full(name, *size)
            label = f"{name}, {size[0]} × {size[1]:,}"
            target = TARGETS.get(name, 1.0)
            yield from both(label, ours, theirs, batch, target, repeats)
        if name in PROFILED:
            yield from floor(label, ours, batch, repeats)
        if name in PACKED:
            label = f"{name}, 16 reviews"
            yield from both(label, ours, theirs, reviews(name), 0.35, repeats)
        del ours, theirs
        if name in MEMORY:
            yield from memory(name)


def both(
    label: str,
    ours: nn.Module,
    theirs: nn.Module,
    batch: Batch,
    target: float,
    repeats: int,
) -> Iterator[Row]:
    """A forward pass, and a train step."""
    for name, make, training in (("forward", forward, False), ("train step", train_step, True)):
        ours.train(training)
        theirs.train(training)
        calls = make(ours, batch), make(theirs, batch)
        yield race(f"{label}: {name}", PEER, *calls, close, target, repeats)


def floor(label: str, ours: nn.Module, batch: Batch, repeats: int) -> Iterator[Row]:
    """The share of matrix products, in both."""
    for name, make, training in (("forward", forward, False), ("train step", train_step, True)):
        ours.train(training)
        yield share_of_products(f"{label}: {name}", make(ours, batch), repeats)


def beside_bert(repeats: int) -> Iterator[Row]:
    """Variants against BERT-base, both ours and in turn: rows measured apart cannot tell this."""
    base = models("bert-base")[0]
    for name in TEN:
        if name in ("bert-base", "longformer"):
            continue
        variant = models(name)[0]
        for label, make, training in (
            ("forward", forward, False),
            ("train step", train_step, True),
        ):
            if training and name not in STEPS_BESIDE:
                continue
            for model in (variant, base):
                model.train(training)
                model.zero_grad(set_to_none=True)
            calls = [
                make(model, full(which, 8, 128))
                for model, which in ((variant, name), (base, "bert-base"))
            ]
            for call in calls:
                call()  # once unmeasured
            work = f"{name} beside bert-base, 8 × 128: {label}"
            yield in_turn(work, "ours, bert-base", *calls, None, repeats)


# --- memory -----------------------------------------------------------------------------------


def memory(name: str) -> Iterator[Row]:
    """Peak memory beyond the weights, each measured in a process of its own."""
    size = (1, 4_096) if name == "longformer" else (8, 128)
    for step in ("forward", "train step"):
        ours, theirs = (peak(name, size, step, whose) for whose in ("ours", "theirs"))
        target = 0.5 if name == "longformer" else 1.0
        label = f"{name}, {size[0]} × {size[1]:,}: peak memory, {step} (GB)"
        yield Row(label, PEER, ours, theirs, ours / theirs, 0.0, target)


def peak(name: str, size: tuple[int, int], step: str, whose: str) -> float:
    """Gigabytes, from a fresh process."""
    command = [sys.executable, "-m", "benchmarks.models", name, json.dumps(size), step, whose]
    reply = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(reply.stdout.splitlines()[-1])


def measure_peak(name: str, size: list[int], step: str, whose: str) -> float:
    """How far the resident memory of this process rises during one call."""
    pair = models(name)
    model = pair[0] if whose == "ours" else pair[1]
    del pair
    batch = full(name, *size)
    if step == "forward":
        model.eval()
        run = forward(model, batch)
    else:
        run = train_step(model, batch)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    run()
    return (status("VmHWM") - before) / 2**20


def status(key: str) -> int:
    """A line of /proc/self/status, in kilobytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    raise KeyError(key)


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(measure_peak(sys.argv[1], json.loads(sys.argv[2]), *sys.argv[3:]))
