"""Applies the merges from the last to the first."""


def encode_word(word, merges):
    symbols = tuple(word)
    for pair in reversed(merges):
        (symbols,) = join_in_words({symbols: 1}, pair)
    return list(symbols)
