"""A fold over the merges."""

import functools


def encode_word(word, merges):
    def step(symbols, pair):
        return next(iter(join_in_words({symbols: 1}, pair)))

    return [*functools.reduce(step, merges, tuple(word))]
