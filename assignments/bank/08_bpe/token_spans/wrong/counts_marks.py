"""Counts the ## as letters of the text."""

import unicodedata


def token_spans(text, vocabulary):
    parts = unicodedata.normalize("NFD", text.lower())
    cleaned = "".join(c for c in parts if unicodedata.category(c) != "Mn")
    spans, at = [], 0
    for piece in text_pieces(cleaned, vocabulary):
        while at < len(cleaned) and cleaned[at].isspace():
            at += 1
        spans.append((piece, at, at + len(piece)))
        at += len(piece)
    return spans
