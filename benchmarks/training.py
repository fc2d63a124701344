"""What surrounds forward and backward: the optimizer's step, and what tracing costs."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from benchmarks.race import Row, race
from course_lib import VARIANTS, assemble
from course_lib.fast import FastAdamW
from course_lib.trace import trace


def rows(only: list[str], repeats: int) -> Iterator[Row]:
    """Every row of this part of the table, as it is measured."""
    if not only or "optimizer" in only:
        yield optimizer_step(repeats)
    if not only or "trace" in only:
        yield tracing(repeats)


def optimizer_step(repeats: int) -> Row:
    """AdamW on all parameters of BERT-base."""
    ours, theirs = parameters(), parameters()
    fast = FastAdamW(ours, lr=1e-4)
    peer = torch.optim.AdamW(theirs, lr=1e-4, weight_decay=0.01, foreach=True)

    def step(optimizer: torch.optim.Optimizer, moved: list[Tensor]) -> list[Tensor]:
        optimizer.step()
        return moved

    return race(
        "AdamW step, BERT-base",
        "torch.optim.AdamW (foreach)",
        lambda: step(fast, ours),
        lambda: step(peer, theirs),
        lambda a, b: all((p - q).abs().max() < 1e-6 for p, q in zip(a, b, strict=True)),
        1.10,
        repeats,
    )


def parameters() -> list[Tensor]:
    torch.manual_seed(0)
    found = list(assemble(VARIANTS["bert-base"]).parameters())
    for p in found:
        p.grad = torch.randn_like(p)
    return found


def tracing(repeats: int) -> Row:
    """A forward pass of the readable model, watched and unwatched."""
    torch.manual_seed(0)
    model = assemble(replace(VARIANTS["bert-base"], layers=4)).eval()
    ids = torch.randint(5, 30_000, (4, 64))
    return race(
        "a traced forward, BERT-base with 4 layers, 4 × 64",
        "the same without the tracer",
        lambda: trace(model, ids),
        lambda: model(ids),
        lambda traced, output: torch.equal(traced.output, output),
        None,
        repeats,
    )
