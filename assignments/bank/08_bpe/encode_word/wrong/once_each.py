"""Applies each merge at one place only."""

from itertools import pairwise


def encode_word(word, merges):
    symbols = list(word)
    for pair in merges:
        pairs = list(pairwise(symbols))
        if pair in pairs:
            i = pairs.index(pair)
            symbols[i : i + 2] = ["".join(pair)]
    return symbols
