"""Adds up probabilities and marks a list of truth values."""

import itertools
import math
import random


def span_length(u, p=0.2, longest=10):
    chances = [(1 - p) ** n for n in range(longest)]
    limits = list(itertools.accumulate(chance / sum(chances) for chance in chances))
    return 1 + sum(limit <= u for limit in limits[:-1])


def mask_spans(words, mask, vocabulary, seed):
    dice = random.Random(seed)
    flat = list(itertools.chain.from_iterable(words))
    edges = [0, *itertools.accumulate(len(word) for word in words)]
    chosen = [False] * len(flat)
    wanted = math.ceil(len(flat) * 0.15)
    while sum(chosen) < wanted:
        size = span_length(dice.random())
        token = dice.choice(range(len(flat)))
        if not chosen[token]:
            first = max(n for n, edge in enumerate(edges) if edge <= token)
            end = edges[min(first + size, len(words))]
            for i in range(edges[first], end):
                if sum(chosen) < wanted:
                    chosen[i] = True
    fed, asked = [], []
    for hide, group in itertools.groupby(range(len(flat)), chosen.__getitem__):
        old = [flat[i] for i in group]
        kind = (
            dice.choices(("mask", "random", "keep"), (8, 1, 1))[0] if hide else "keep"
        )
        if kind == "mask":
            fed += [mask] * len(old)
        elif kind == "random":
            fed += [dice.randrange(vocabulary) for _ in old]
        else:
            fed += old
        asked += old if hide else [-100] * len(old)
    return fed, asked
