"""Joins the first pair from the left that any merge knows."""


def encode_word(word, merges):
    symbols = list(word)
    i = 0
    while i < len(symbols) - 1:
        if (symbols[i], symbols[i + 1]) in merges:
            symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
            i = 0
        else:
            i += 1
    return symbols
