"""Takes [UNK] for a piece of five letters."""

import re
import unicodedata


def token_spans(text, vocabulary):
    letters, places = [], []
    for place, char in enumerate(text):
        for part in unicodedata.normalize("NFD", char):
            if unicodedata.category(part) != "Mn":
                letters.append(part.lower())
                places += [place] * len(letters[-1])
    spans = []
    # Chinese characters, runs of other letters and digits, and whatever else is no space
    for word in re.finditer(
        r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+|\S", "".join(letters)
    ):
        at = word.start()
        for piece in text_pieces(word[0], vocabulary):
            length = len(piece.removeprefix("##"))
            spans.append(
                (
                    piece,
                    places[at],
                    places[at + length - 1] + 1
                    if at + length <= len(places)
                    else places[at] + length,
                )
            )
            at += length
    return spans
