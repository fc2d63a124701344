"""Joins the pair of lowest rank until there is none."""

from itertools import pairwise


def encode_word(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    symbols = list(word)
    while len(symbols) > 1:
        ranks = [rank.get(pair, len(merges)) for pair in pairwise(symbols)]
        lowest = min(ranks)
        if lowest == len(merges):
            break
        i = ranks.index(lowest)
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
    return symbols
