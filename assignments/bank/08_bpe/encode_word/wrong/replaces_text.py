"""Looks for the spelling of a pair, not for its two symbols."""


def encode_word(word, merges):
    text = " ".join(word)
    for a, b in merges:
        text = text.replace(f"{a} {b}", a + b)
    return text.split()
