"""Walks through the cleaned text piece by piece."""

import unicodedata


def token_spans(text, vocabulary):
    cleaned, origin = "", []
    for i in range(len(text)):
        for c in unicodedata.normalize("NFD", text[i]):
            c = "" if unicodedata.category(c) == "Mn" else c.lower()
            cleaned += c
            origin.extend([i] * len(c))
    result, at = [], 0
    for piece in text_pieces(cleaned, vocabulary):
        while cleaned[at].isspace():
            at += 1
        end = at + 1
        if piece != "[UNK]":
            end = at + len(piece) - (2 if piece.startswith("##") else 0)
        elif cleaned[at].isalnum() and not "\u4e00" <= cleaned[at] <= "\u9fff":
            while (
                end < len(cleaned)
                and cleaned[end].isalnum()
                and not "\u4e00" <= cleaned[end] <= "\u9fff"
            ):
                end += 1
        result.append((piece, origin[at], origin[end - 1] + 1))
        at = end
    return result
