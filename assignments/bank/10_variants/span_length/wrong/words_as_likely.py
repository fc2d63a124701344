"""Draws a word, so that the tokens of long words are rarer."""

import math
import random


def span_length(u, p=0.2, longest=10):
    chances = [p * (1 - p) ** (length - 1) for length in range(1, longest + 1)]
    left = u * sum(chances)
    for length, chance in enumerate(chances, start=1):
        if left < chance:
            return length
        left -= chance
    return longest


def mask_spans(words, mask, vocabulary, seed):
    rng = random.Random(seed)
    ids = [token for word in words for token in word]
    word_of = [number for number, word in enumerate(words) for _ in word]
    hidden: set[int] = set()
    budget = math.ceil(0.15 * len(ids))
    while len(hidden) < budget:
        length, anchor = (
            span_length(rng.random()),
            word_of.index(rng.randrange(len(words))),
        )
        if anchor in hidden:
            continue
        first = word_of[anchor]
        for i, number in enumerate(word_of):
            if first <= number < first + length and len(hidden) < budget:
                hidden.add(i)

    labels = [token if i in hidden else -100 for i, token in enumerate(ids)]
    fate = 0.0
    for i in sorted(hidden):
        if i - 1 not in hidden:  # a gap begins
            fate = rng.random()
        if fate < 0.8:
            ids[i] = mask
        elif fate < 0.9:
            ids[i] = rng.randrange(vocabulary)
    return ids, labels
