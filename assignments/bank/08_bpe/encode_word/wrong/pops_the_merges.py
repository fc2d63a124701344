"""Uses the list of merges up."""


def encode_word(word, merges):
    symbols = tuple(word)
    while merges:
        pair = merges.pop(0)
        (symbols,) = join_in_words({symbols: 1}, pair)
    return list(symbols)
