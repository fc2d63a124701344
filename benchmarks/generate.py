"""Greedy decoding with a cache, the same tokens out; what the cache saves; the machine's limit."""

import time
from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor, nn

from benchmarks.pairs import language_models
from benchmarks.race import Row, race
from course_lib import VARIANTS
from course_lib.generate import generate
from course_lib.heads import WithHead

PROMPT, NEW = 64, 128
GPT2 = VARIANTS["gpt2"]
SMALL = replace(GPT2, width=128, heads=4, layers=4, feedforward=512, vocabulary=8_000)
SHAPES = {"GPT-2 small": GPT2, "4 layers, 128 wide": SMALL}
TARGETS = {
    ("GPT-2 small", 1): 0.90,
    ("GPT-2 small", 8): 0.95,
    ("4 layers, 128 wide", 1): 0.50,
    ("4 layers, 128 wide", 8): 0.50,
}


def rows(only: list[str], repeats: int) -> Iterator[Row]:
    """Every row of this part of the table, as it is measured."""
    for name, spec in SHAPES.items():
        if only and name not in only:
            continue
        ours, theirs = language_models(spec)
        for batch in (1, 8):
            yield decoding(name, ours, theirs, batch, repeats)
        if spec is GPT2:
            weights = sum(p.nbytes for p in ours.parameters())
            seconds = weights * NEW / copy_bandwidth()
            work = f"{name}: reading all weights {NEW} times at the speed of a copy"
            yield Row(work, "", seconds, None, None, None, None)
        else:
            for new in (32, 64, 128, 256):
                yield without_cache(name, ours, new, repeats)


def decoding(name: str, ours: WithHead, theirs: nn.Module, batch: int, repeats: int) -> Row:
    prompt = torch.randint(0, ours.spec.vocabulary, (batch, PROMPT))
    return race(
        f"{name}, prompt {PROMPT}, {NEW} new tokens, batch {batch}",
        "transformers",
        lambda: generate(ours, prompt, new_tokens=NEW, fast=True),
        lambda: theirs.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=NEW,
            min_new_tokens=NEW,
            do_sample=False,
            pad_token_id=0,
            eos_token_id=None,
        ),
        torch.equal,
        TARGETS[name, batch],
        repeats,
    )


def without_cache(name: str, ours: WithHead, new: int, repeats: int) -> Row:
    prompt = torch.randint(0, ours.spec.vocabulary, (1, PROMPT))

    def write(cached: bool) -> Tensor:
        return generate(ours, prompt, new_tokens=new, cached=cached)

    return race(
        f"{name}, {new} new tokens with the cache",
        "ours without it",
        lambda: write(True),
        lambda: write(False),
        torch.equal,
        None,
        max(1, repeats // 2),
    )


def copy_bandwidth() -> float:
    """Bytes a second that this machine reads in a large copy."""
    source = torch.ones(2**26)
    target = torch.empty_like(source)
    target.copy_(source)
    best = min(timed_copy(source, target) for _ in range(5))
    return source.nbytes / best


def timed_copy(source: Tensor, target: Tensor) -> float:
    start = time.perf_counter()
    target.copy_(source)
    return time.perf_counter() - start
