"""Looks for each piece in the lower-cased text."""

import unicodedata


def token_spans(text, vocabulary):
    parts = [
        c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn"
    ]
    cleaned = "".join(parts).lower()
    spans, at = [], 0
    for piece in text_pieces(cleaned, vocabulary):
        letters = piece.removeprefix("##")
        start = max(cleaned.find(letters, at), at)
        spans.append((piece, start, start + len(letters)))
        at = start + len(letters)
    return spans
