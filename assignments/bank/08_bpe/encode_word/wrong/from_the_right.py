"""Joins a run of equal symbols from the right."""


def encode_word(word, merges):
    symbols = list(word)
    for a, b in merges:
        i = len(symbols) - 2
        while i >= 0:
            if symbols[i : i + 2] == [a, b]:
                symbols[i : i + 2] = [a + b]
                i -= 1
            i -= 1
    return symbols
