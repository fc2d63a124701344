"""Splits without the earlier part."""

import itertools
import unicodedata


def clean(char):
    parts = (
        c for c in unicodedata.normalize("NFD", char) if unicodedata.category(c) != "Mn"
    )
    return "".join(parts).lower()


def kind(letter):
    if letter.isspace():
        return "space"
    chinese = 0x4E00 <= ord(letter) <= 0x9FFF
    return "word" if letter.isalnum() and not chinese else "alone"


def token_spans(text, vocabulary):
    origin = [(letter, i) for i, char in enumerate(text) for letter in clean(char)]
    spans = []
    for name, run in itertools.groupby(origin, key=lambda pair: kind(pair[0])):
        run = list(run)
        for word in {"space": [], "word": [run], "alone": [[pair] for pair in run]}[
            name
        ]:
            letters = "".join(letter for letter, _ in word)
            found, a = [], 0
            while a < len(word):
                for b in range(len(word), a, -1):
                    piece = ("##" if a else "") + letters[a:b]
                    if piece in vocabulary:
                        break
                else:
                    found = [["[UNK]", word[0][1], word[-1][1] + 1]]
                    break
                found.append([piece, word[a][1], word[b - 1][1] + 1])
                a = b
            spans += [tuple(span) for span in found]
    return spans
