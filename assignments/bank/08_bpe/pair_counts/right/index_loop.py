"""Loops over places; a running best for the choice."""

from collections import defaultdict


def pair_counts(words):
    counts = defaultdict(int)
    for word in words:
        for i in range(1, len(word)):
            counts[word[i - 1], word[i]] += words[word]
    return dict(counts)


def next_pair(counts, vocabulary):
    best = None
    for pair, count in counts.items():
        key = count, -vocabulary[pair[0]], -vocabulary[pair[1]]
        if best is None or key > best[0]:
            best = key, pair
    return best and best[1]
