"""Lays the words one after the other and counts across their borders."""

from collections import Counter
from itertools import pairwise


def pair_counts(words):
    text = [s for word, frequency in words.items() for s in word * frequency]
    return dict(Counter(pairwise(text)))


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]]),
        default=None,
    )
