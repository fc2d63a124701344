"""Splits the words into letters anew."""

from itertools import pairwise


def pair_counts(words):
    counts = {}
    for word, frequency in words.items():
        for pair in pairwise("".join(word)):
            counts[pair] = counts.get(pair, 0) + frequency
    return counts


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]]),
        default=None,
    )
