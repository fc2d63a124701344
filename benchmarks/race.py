"""Two ways to the same result, timed side by side.

Both run in one process, in turn, so that whatever slows the machine slows both. The ratio of a pair
is what counts; the row gives the median over pairs.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One line of the table; ratios are ours / peer, so small is good."""

    work: str
    peer: str
    ours_s: float | None
    peer_s: float | None
    ratio: float | None
    spread: float | None  # half the distance between the quartiles of the pairs' ratios
    target: float | None

    @property
    def met(self) -> bool | None:
        """Whether the ratio is at most the target, give or take the spread; None without one."""
        if self.target is None or self.ratio is None:
            return None
        return self.ratio - (self.spread or 0.0) <= self.target


def race(
    work: str,
    peer: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    same: Callable[[Any, Any], bool],
    target: float | None,
    repeats: int = 5,
) -> Row:
    """Time ours against theirs; `AssertionError` unless both give the same result.

    The first round warms up and is compared, not timed. Who goes first alternates.
    """
    assert same(ours(), theirs()), f"{work}: ours and {peer} differ, so no time counts"
    return in_turn(work, peer, ours, theirs, target, repeats)


def in_turn(
    work: str,
    peer: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    target: float | None,
    repeats: int,
) -> Row:
    """Time both in turn, whatever they give: for parts of a whole, and after a comparison."""
    pairs = []
    for turn in range(repeats):
        if turn % 2:
            peer_s = seconds(theirs)
            ours_s = seconds(ours)
        else:
            ours_s = seconds(ours)
            peer_s = seconds(theirs)
        pairs.append((ours_s, peer_s))
    ratios = [a / b for a, b in pairs]
    ours_s, peer_s = (statistics.median(times) for times in zip(*pairs, strict=True))
    return Row(work, peer, ours_s, peer_s, statistics.median(ratios), spread(ratios), target)


def seconds(work: Callable[[], Any]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def spread(values: list[float]) -> float:
    """Half the distance between the quartiles; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2
