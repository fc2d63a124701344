"""From lists of ids of any length to the rectangular tensors a model reads.

Three pure functions: cut what is too long, fill up what is too short, and group texts of
like length so that little has to be filled up. They know nothing of any vocabulary.
"""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor

Truncation = Literal["longest_first", "only_first", "only_second"]
Side = Literal["left", "right"]


def truncate(
    first: list[int], second: list[int] | None, room: int, strategy: Truncation = "longest_first"
) -> tuple[list[int], list[int] | None]:
    """Cut a text, or a pair of texts, at the right until ``room`` tokens are left.

    ``longest_first`` cuts the longer of the two down to the shorter, then both alike; the
    other two cut one text only and raise ValueError when that would leave nothing of it.
    """
    if strategy not in get_args(Truncation):
        raise ValueError(f"truncation {strategy!r} is unknown: use one of {get_args(Truncation)}")
    excess = len(first) + len(second or ()) - room
    if excess <= 0:
        return first, second
    if strategy == "longest_first":
        if second is None:
            return first[:room], None
        shorter = min(len(first), len(second))
        if 2 * shorter <= room:
            longer = room - shorter
            return first[:longer], second[:longer]
        # Both are cut: an odd token goes to the longer text, to the second when they are equal.
        half, rest = room // 2, room % 2
        keep_first = half + rest * (len(first) > len(second))
        return first[:keep_first], second[: room - keep_first]
    target = first if strategy == "only_first" else second
    if target is None:
        raise ValueError("truncation 'only_second' needs a pair of texts: there is only one")
    if len(target) <= excess:
        raise ValueError(
            f"truncation {strategy!r} can't make room: {excess} tokens are too many, but that text "
            f"has only {len(target)}; raise max_tokens or use 'longest_first'"
        )
    kept = target[: len(target) - excess]
    return (kept, second) if strategy == "only_first" else (first, kept)


def pad(
    rows: Sequence[Sequence[int]], fill: int, length: int | None = None, side: Side = "right"
) -> Tensor:
    """Fill rows up to one length, that of the longest unless told: a tensor of integers, b t.

    Raises ValueError when a row is longer than ``length``.
    """
    if side not in get_args(Side):
        raise ValueError(f"pad_side {side!r} is unknown: use one of {get_args(Side)}")
    longest = max((len(row) for row in rows), default=0)
    width = longest if length is None else length
    if longest > width:
        raise ValueError(
            f"a text has {longest} tokens, more than pad_to={width}: set max_tokens too"
        )
    padded = torch.full((len(rows), width), fill)  # b t
    for i, row in enumerate(rows):
        at = width - len(row) if side == "left" else 0
        padded[i, at : at + len(row)] = torch.tensor(row, dtype=torch.long)
    return padded


def buckets(
    lengths: Sequence[int], size: int, generator: torch.Generator | None = None
) -> list[list[int]]:
    """Indices in batches of at most ``size`` texts of like length, shortest first.

    Every index appears once. A generator shuffles texts of equal length and the order of the
    batches, so that an epoch doesn't run from short to long.
    """
    if size < 1:
        raise ValueError(f"a batch needs at least one text, not {size}")
    order = list(range(len(lengths)))
    if generator is not None:
        order = torch.randperm(len(lengths), generator=generator).tolist()
    order.sort(key=lambda i: lengths[i])
    batches = [order[i : i + size] for i in range(0, len(order), size)]
    if generator is not None:
        batches = [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]
    return batches
