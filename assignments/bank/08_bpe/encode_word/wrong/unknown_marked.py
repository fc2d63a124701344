"""Writes [UNK] for a character that no merge knows."""


def encode_word(word, merges):
    symbols = tuple(word)
    for pair in merges:
        (symbols,) = join_in_words({symbols: 1}, pair)
    known = {part for pair in merges for part in pair} | {a + b for a, b in merges}
    return [symbol if symbol in known else "[UNK]" for symbol in symbols]
