"""A Counter, and a sort with a key."""

from collections import Counter
from itertools import pairwise


def pair_counts(words):
    counts = Counter()
    for word, frequency in words.items():
        for pair in pairwise(word):
            counts[pair] += frequency
    return counts


def next_pair(counts, vocabulary):
    def age(pair):
        return [vocabulary[part] for part in pair]

    oldest_first = sorted(counts, key=age)
    oldest_first.sort(key=counts.get, reverse=True)
    return oldest_first[0] if oldest_first else None
