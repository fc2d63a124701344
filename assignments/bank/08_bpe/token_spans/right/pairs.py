"""Pairs of letter and place."""

import unicodedata


def token_spans(text, vocabulary):
    pairs = []
    for i, char in enumerate(text):
        decomposed = unicodedata.normalize("NFD", char)
        kept = [c for c in decomposed if not unicodedata.category(c) == "Mn"]
        pairs += [(letter, i) for letter in "".join(kept).lower()]
    words, new = [], True
    for letter, i in pairs:
        alone = not letter.isalnum() or "\u4e00" <= letter <= "\u9fff"
        if letter.isspace():
            new = True
            continue
        if new or alone:
            words.append([])
        words[-1].append((letter, i))
        new = alone
    spans = []
    for word in words:
        places = [i for _, i in word]
        used = 0
        for piece in text_pieces("".join(letter for letter, _ in word), vocabulary):
            n = len(places) if piece == "[UNK]" else len(piece) - 2 * (used > 0)
            spans.append((piece, places[used], places[used + n - 1] + 1))
            used += n
    return spans
