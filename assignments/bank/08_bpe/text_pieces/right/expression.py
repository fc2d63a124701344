"""A regular expression for words; recursion for the fewest."""

import functools
import re


def text_pieces(text, vocabulary):
    pieces = []
    for word in re.findall(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+|\S", text):
        at, found = 0, []
        while at < len(word):
            options = [
                ("##" if at else "") + word[at:e] for e in range(at + 1, len(word) + 1)
            ]
            options = [option for option in options if option in vocabulary]
            if not options:
                found = ["[UNK]"]
                break
            found.append(options[-1])
            at += len(options[-1]) - (2 if at else 0)
        pieces.extend(found)
    return pieces


def fewest_pieces(word, vocabulary):
    @functools.cache
    def rest(start):
        if start == len(word):
            return 0
        mark = "##" if start else ""
        ends = [
            e
            for e in range(start + 1, len(word) + 1)
            if mark + word[start:e] in vocabulary
        ]
        counts = [n for n in map(rest, ends) if n is not None]
        return 1 + min(counts) if counts else None

    return rest(0)
