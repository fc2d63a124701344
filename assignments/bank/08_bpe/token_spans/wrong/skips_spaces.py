"""Forgets that white space takes room."""

import re
import unicodedata


def token_spans(text, vocabulary):
    letters, places = [], []
    for place, char in enumerate(c for c in text if not c.isspace()):
        for part in unicodedata.normalize("NFD", char):
            if unicodedata.category(part) != "Mn":
                letters.append(part.lower())
                places.append(place)
    parts = unicodedata.normalize("NFD", text.lower())
    spaced = "".join(c for c in parts if unicodedata.category(c) != "Mn")
    spans, at = [], 0
    for word in re.findall(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+|\S", spaced):
        for piece in text_pieces(word, vocabulary):
            length = len(word if piece == "[UNK]" else piece.removeprefix("##"))
            spans.append((piece, places[at], places[at + length - 1] + 1))
            at += length
    return spans
