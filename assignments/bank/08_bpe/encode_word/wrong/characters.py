"""Returns the characters."""


def encode_word(word, merges):
    return list(word)
