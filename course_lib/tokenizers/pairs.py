"""Counts of neighbouring tokens that stay right while pairs are merged.

Both trainers rest on this: BPE asks for the most frequent pair, WordPiece for the most surprising
one. Counting everything again after each merge would read the whole text thousands of times; here a
merge looks only at the places where its pair stands.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

IdPair = tuple[int, int]

GAP = -1  # stands between two words: no pair reaches over it


class PairCounts:
    """Words laid end to end as a linked list of token ids, with every pair's count and places."""

    def __init__(self, words: Iterable[tuple[Sequence[int], int]]):
        self.counts: defaultdict[IdPair, int] = defaultdict(int)
        self.places: defaultdict[IdPair, list[int]] = defaultdict(list)
        self._tokens = [GAP]
        self._weights = [0]  # how often the word occurs that a place belongs to
        for ids, count in words:
            for place, pair in enumerate(pairwise(ids), len(self._tokens)):
                self.counts[pair] += count
                self.places[pair].append(place)
            self._tokens += (*ids, GAP)
            self._weights += [count] * (len(ids) + 1)
        self._left = list(range(-1, len(self._tokens) - 1))
        self._right = list(range(1, len(self._tokens) + 1))

    def merge(self, pair: IdPair, new: int) -> tuple[int, set[IdPair]]:
        """Put ``new`` for each ``pair``, in each word from the left.

        Returns how often that happened in the text, and the neighbouring pairs it made.
        """
        first, second = pair
        tokens, weights, left, right = self._tokens, self._weights, self._left, self._right
        # By the token to the left, where that stands; by the token to the right, where new stands.
        to_left: defaultdict[int, list[int]] = defaultdict(list)
        to_right: defaultdict[int, list[int]] = defaultdict(list)
        merged = 0
        for place in sorted(self.places.pop(pair)):
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
        replaced = [((other, first), (other, new), at) for other, at in to_left.items()]
        replaced += [((second, other), (new, other), at) for other, at in to_right.items()]
        made: set[IdPair] = set()
        for old, instead, places in replaced:
            if GAP in instead:
                continue
            times = sum(map(weights.__getitem__, places))
            self.counts[old] -= times
            self.counts[instead] += times
            self.places[instead] += places
            made.add(instead)
        del self.counts[pair]
        return merged, made
