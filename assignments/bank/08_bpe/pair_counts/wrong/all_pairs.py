"""Counts zeros for pairs that stand nowhere."""

from itertools import pairwise


def pair_counts(words):
    symbols = {s for word in words for s in word}
    counts = {(a, b): 0 for a in symbols for b in symbols}
    for word, frequency in words.items():
        for pair in pairwise(word):
            counts[pair] += frequency
    return counts


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]]),
        default=None,
    )
