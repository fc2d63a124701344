"""Uses NumPy's generator."""

import math

import numpy as np


def span_length(u, p=0.2, longest=10):
    chances = p * (1 - p) ** np.arange(longest)
    limits = np.cumsum(chances) / chances.sum()
    return int(np.searchsorted(limits[:-1], u, side="right")) + 1


def mask_spans(words, mask, vocabulary, seed):
    rng = np.random.default_rng(seed)
    ids = np.array([token for word in words for token in word], dtype=np.int64)
    number = np.repeat(np.arange(len(words)), [len(word) for word in words])
    hidden = np.zeros(len(ids), dtype=bool)
    budget = math.ceil(0.15 * len(ids))
    while hidden.sum() < budget:
        length, anchor = span_length(rng.random()), rng.integers(len(ids))
        if hidden[anchor]:
            continue
        first = number[anchor]
        span = np.flatnonzero((number >= first) & (number < first + length) & ~hidden)
        hidden[span[: budget - hidden.sum()]] = True
    labels = np.where(hidden, ids, -100)
    starts = np.flatnonzero(hidden & ~np.concatenate([[False], hidden[:-1]]))
    for start in starts:
        end = start
        while end < len(ids) and hidden[end]:
            end += 1
        fate = rng.random()
        if fate < 0.8:
            ids[start:end] = mask
        elif fate < 0.9:
            ids[start:end] = rng.integers(0, vocabulary, end - start)
    return ids.tolist(), labels.tolist()
