"""Decomposes the whole text and finds the places by counting."""

import re
import unicodedata

import numpy as np


def token_spans(text, vocabulary):
    parts = [unicodedata.normalize("NFD", c) for c in text]
    place = np.repeat(np.arange(len(text)), [len(p) for p in parts])
    letters = np.array(list("".join(parts)), dtype=object)
    keep = np.array([unicodedata.category(c) != "Mn" for c in letters], dtype=bool)
    letters, place = letters[keep], place[keep]
    cleaned = "".join(letters).lower()
    spans = []
    words = r"[\u4e00-\u9fff]|(?:(?![\u4e00-\u9fff])[^\W_])+|[^\w\s]|_"
    for match in re.finditer(words, cleaned):
        a, b = match.span()
        pieces = text_pieces(cleaned[a:b], vocabulary)
        if pieces == ["[UNK]"]:
            spans.append(("[UNK]", int(place[a]), int(place[b - 1]) + 1))
            continue
        for piece in pieces:
            e = (
                a + len(piece.replace("##", ""))
                if piece[:2] == "##"
                else a + len(piece)
            )
            spans.append((piece, int(place[a]), int(place[e - 1]) + 1))
            a = e
    return spans
