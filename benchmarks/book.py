"""What the book shows: time and memory against length, and how long the book itself takes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch

from benchmarks.race import Row, seconds
from course_lib import VARIANTS, Spec, assemble
from course_lib.bricks.embeddings import Learned, Summed
from course_lib.fast import faster

ROOT = Path(__file__).parents[1]
LENGTHS = (64, 128, 256, 512, 1_024, 2_048, 4_096)
LAYERS = 2
LONG = {
    "bert-base": replace(VARIANTS["bert-base"], embeddings=Summed(Learned(LENGTHS[-1]))),
    "deberta": VARIANTS["deberta"],
    "longformer": VARIANTS["longformer"],
}


def rows(only: list[str], repeats: int) -> Iterator[Row]:
    """Every row of this part of the table, as it is measured."""
    for name, spec in LONG.items():
        if not only or name in only:
            yield from by_length(name, replace(spec, layers=LAYERS), repeats)
    if not only or "build" in only:
        for kind in ("cold", "warm"):
            yield Row(f"make book, {kind}", "", build(kind), None, None, None, None)


def by_length(name: str, spec: Spec, repeats: int) -> Iterator[Row]:
    """Seconds of a forward pass of a few layers, and gigabytes it takes on top of the weights."""
    torch.manual_seed(0)
    model = faster(assemble(spec)).eval()
    for tokens in LENGTHS:
        ids = torch.randint(5, spec.vocabulary, (1, tokens))
        with torch.no_grad():
            model(ids)
            best = min(seconds(lambda ids=ids: model(ids)) for _ in range(repeats))
        label = f"{name}, {LAYERS} layers, {tokens:,} tokens"
        yield Row(f"{label}: forward", "", best, None, None, None, None)
        yield Row(f"{label}: peak memory (GB)", "", peak(name, tokens), None, None, None, None)


def peak(name: str, tokens: int) -> float:
    """Gigabytes, measured in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.book", name, str(tokens)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def build(kind: str) -> float:
    """Seconds to build the book; every chapter runs, or only what changed."""
    start = time.monotonic()
    options = ["--cold"] if kind == "cold" else []
    subprocess.run([sys.executable, "tools/build.py", *options], cwd=ROOT, check=True)
    return time.monotonic() - start


if __name__ == "__main__":
    from benchmarks.models import status

    torch.set_num_threads(2)
    model = faster(assemble(replace(LONG[sys.argv[1]], layers=LAYERS))).eval()
    ids = torch.ones(1, int(sys.argv[2]), dtype=torch.long)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    with torch.no_grad():
        model(ids)
    print((status("VmHWM") - before) / 2**20)
