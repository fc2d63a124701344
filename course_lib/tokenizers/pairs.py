"""Counts of neighbouring tokens that stay right while pairs are merged.

Both trainers rest on this: BPE asks for the most frequent pair, WordPiece for the most likely
one. Counting everything again after each merge would read the whole text thousands of times; here
a merge looks only at the places where its pair stands.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

Pair = tuple[int, int]

GAP = -1  # stands between two words: no pair reaches over it


class PairCounts:
    """Words laid end to end as a linked list of token ids, with every pair's count and places."""

    def __init__(self, words: Iterable[tuple[Sequence[int], int]]):
        self.counts: defaultdict[Pair, int] = defaultdict(int)
        self.places: defaultdict[Pair, list[int]] = defaultdict(list)
        self._tokens = [GAP]
        self._weights = [0]  # how often the word occurs that a place belongs to
        for ids, count in words:
            for place, pair in enumerate(zip(ids, ids[1:], strict=False), len(self._tokens)):
                self.counts[pair] += count
                self.places[pair].append(place)
            self._tokens += (*ids, GAP)
            self._weights += [count] * (len(ids) + 1)
        self._left = list(range(-1, len(self._tokens) - 1))
        self._right = list(range(1, len(self._tokens) + 1))

    def merge(self, pair: Pair, new: int) -> tuple[int, set[Pair]]:
        """Put ``new`` for each ``pair``, in each word from the left.

        Returns how often that happened in the text, and the neighbouring pairs it made.
        """
        first, second = pair
        tokens, weights, left, right = self._tokens, self._weights, self._left, self._right
        counts, places = self.counts, self.places
        merged, made = 0, set()
        for place in sorted(places.pop(pair, ())):
            gone = right[place]
            # An earlier merge may have used up either half: then the place is out of date.
            if tokens[place] != first or tokens[gone] != second:
                continue
            weight = weights[place]
            before, after = left[place], right[gone]
            tokens[place], tokens[gone] = new, GAP
            right[place], left[after] = after, place
            merged += weight
            if (neighbour := tokens[before]) != GAP:
                counts[neighbour, first] -= weight
                counts[neighbour, new] += weight
                places[neighbour, new].append(before)
                made.add((neighbour, new))
            if (neighbour := tokens[after]) != GAP:
                counts[second, neighbour] -= weight
                counts[new, neighbour] += weight
                places[new, neighbour].append(place)
                made.add((new, neighbour))
        del counts[pair]
        return merged, made
