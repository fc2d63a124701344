"""Distances in a NumPy array."""

import numpy as np


def text_pieces(text, vocabulary):
    letters = [
        c if c.isalnum() and not "\u4e00" <= c <= "\u9fff" else f" {c} " for c in text
    ]
    out = []
    for word in "".join(letters).split():
        found = []
        rest = word
        while rest:
            mark = "##" * (rest is not word)
            lengths = [
                n for n in range(len(rest), 0, -1) if mark + rest[:n] in vocabulary
            ]
            if not lengths:
                break
            found.append(mark + rest[: lengths[0]])
            rest = rest[lengths[0] :]
        out += ["[UNK]"] if rest else found
    return out


def fewest_pieces(word, vocabulary):
    least = np.full(len(word) + 1, np.inf)
    least[0] = 0
    for a in range(len(word)):
        for b in range(a + 1, len(word) + 1):
            if "##" * (a > 0) + word[a:b] in vocabulary:
                least[b] = min(least[b], least[a] + 1)
    return None if np.isinf(least[-1]) else int(least[-1])
