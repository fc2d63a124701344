"""Counts of neighbouring tokens that stay right while pairs are merged.

Both trainers rest on this: BPE asks for the most frequent pair, WordPiece for the most surprising
one. Counting everything again after each merge would read the whole text thousands of times; here a
merge looks only at the places where its pair stands. Early merges have thousands of places, which
NumPy takes together; late ones have a few, where a plain loop is faster. Both see the same memory.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

IdPair = tuple[int, int]
Integers = npt.NDArray[np.int64]
# How often a pair was joined; by the token to the left, where that stands; by the token to the
# right, where the new one stands.
Change = tuple[int, dict[int, list[int]], dict[int, list[int]]]

GAP = -1  # stands between two words: no pair reaches over it
MANY = 50  # places that are worth the overhead of NumPy


class PairCounts:
    """Words laid end to end as a linked list of token ids, with every pair's count and places."""

    def __init__(self, words: Iterable[tuple[Sequence[int], int]]):
        tokens, weights = array("q", [GAP]), array("q", [0])  # weight: how often a word occurs
        for ids, count in words:
            tokens.extend((*ids, GAP))
            weights.extend([count] * (len(ids) + 1))
        left, right = (array("q", range(start, start + len(tokens))) for start in (-1, 1))
        self._lists = tokens, weights, left, right
        self._arrays: list[Integers] = [np.frombuffer(x, np.int64) for x in self._lists]
        self.counts: defaultdict[IdPair, int] = defaultdict(int)
        self.places: defaultdict[IdPair, list[int]] = defaultdict(list)
        all_tokens, all_weights = self._arrays[:2]
        places = np.flatnonzero((all_tokens[:-1] != GAP) & (all_tokens[1:] != GAP))
        kinds = int(all_tokens.max()) + 1
        for key, here in grouped(all_tokens[places] * kinds + all_tokens[places + 1], places):
            pair = divmod(key, kinds)
            self.counts[pair] = int(all_weights[here].sum())
            self.places[pair] = here.tolist()

    def merge(self, pair: IdPair, new: int) -> tuple[int, set[IdPair]]:
        """Put ``new`` for each ``pair``, in each word from the left.

        Returns how often that happened in the text, and the neighbouring pairs it made.
        """
        first, second = pair
        places = self.places.pop(pair)
        # In "aaa" a place may be used up by the one before it, so these are taken one by one.
        together = len(places) >= MANY and first != second
        change = self._change_together if together else self._change_in_turn
        merged, to_left, to_right = change(places, pair, new)
        to_left.pop(GAP, None)
        to_right.pop(GAP, None)
        made: set[IdPair] = set()
        for other, at in to_left.items():
            self._replace((other, first), (other, new), at, made)
        for other, at in to_right.items():
            self._replace((second, other), (new, other), at, made)
        del self.counts[pair]
        return merged, made

    def _replace(self, old: IdPair, instead: IdPair, at: list[int], made: set[IdPair]) -> None:
        """Count one pair less and another more at these places."""
        weights = self._lists[1]
        times = weights[at[0]] if len(at) == 1 else sum(map(weights.__getitem__, at))
        self.counts[old] -= times
        self.counts[instead] += times
        self.places[instead] += at
        made.add(instead)

    def _change_in_turn(self, places: list[int], pair: IdPair, new: int) -> Change:
        """Change the tokens, in each word from the left."""
        first, second = pair
        tokens, weights, left, right = self._lists
        to_left: defaultdict[int, list[int]] = defaultdict(list)
        to_right: defaultdict[int, list[int]] = defaultdict(list)
        merged = 0
        for place in sorted(places):
            gone = right[place]
            # An earlier merge may have used up either half: then the place is out of date.
            if tokens[place] != first or tokens[gone] != second:
                continue
            merged += weights[place]
            before, after = left[place], right[gone]
            tokens[place], tokens[gone] = new, GAP
            right[place], left[after] = after, place
            to_left[tokens[before]].append(before)
            to_right[tokens[after]].append(place)
        return merged, to_left, to_right

    def _change_together(self, places: list[int], pair: IdPair, new: int) -> Change:
        """The same for many places at once."""
        tokens, weights, left, right = self._arrays
        at: Any = np.unique(places)
        at = at[(tokens[at] == pair[0]) & (tokens[right[at]] == pair[1])]
        gone = right[at]
        after = right[gone]
        to_right = grouped(tokens[after], at)  # as it is before the next place is changed
        right[at], left[after] = after, at
        tokens[at], tokens[gone] = new, GAP
        before = left[at]
        to_left = grouped(tokens[before], before)
        merged = int(weights[at].sum())
        by_left, by_right = ({k: x.tolist() for k, x in side} for side in (to_left, to_right))
        return merged, by_left, by_right


def grouped(keys: Integers, values: Integers) -> Iterator[tuple[int, Integers]]:
    """Each key with its values, which stay in their order."""
    if not len(keys):
        return
    order = keys.argsort(kind="stable")
    keys, values = keys[order], values[order]
    starts = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist()]
    for start, end in zip(starts, [*starts[1:], len(keys)], strict=True):
        yield int(keys[start]), values[start:end]
