"""Looks the text up as it stands."""

import re


def token_spans(text, vocabulary):
    spans = []
    for word in re.finditer(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+|\S", text):
        at = word.start()
        for piece in text_pieces(word[0], vocabulary):
            length = len(word[0] if piece == "[UNK]" else piece.removeprefix("##"))
            spans.append((piece, at, at + length))
            at += length
    return spans
