"""Joins the pair that was learned last, again and again."""

from itertools import pairwise


def encode_word(word, merges):
    symbols = list(word)
    while True:
        known = [p for p in pairwise(symbols) if p in merges]
        if not known:
            return symbols
        pair = max(known, key=merges.index)
        i = list(pairwise(symbols)).index(pair)
        symbols[i : i + 2] = ["".join(pair)]
