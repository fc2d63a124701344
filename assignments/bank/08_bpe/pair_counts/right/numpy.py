"""Counts in NumPy arrays."""

import numpy as np


def pair_counts(words):
    names = sorted({s for word in words for s in word})
    number = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(names), len(names)), dtype=np.int64)
    for word, frequency in words.items():
        ids = np.array([number[s] for s in word])
        np.add.at(table, (ids[:-1], ids[1:]), frequency)
    return {
        (names[a], names[b]): table[a, b]
        for a, b in zip(*table.nonzero(), strict=False)
    }


def next_pair(counts, vocabulary):
    if len(counts) == 0:
        return None
    pairs = list(counts)
    keys = np.array([[-counts[p], vocabulary[p[0]], vocabulary[p[1]]] for p in pairs])
    return pairs[np.lexsort(keys.T[::-1])[0]]
