"""Starts and continuations in two sets; every cut tried for the fewest."""

import itertools


def text_pieces(text, vocabulary):
    starts = {p for p in vocabulary if p[:2] != "##"}
    tails = {p[2:] for p in vocabulary if p[:2] == "##"}
    for char in set(text):
        if "一" <= char <= "\u9fff" or not (char.isalnum() or char.isspace()):
            text = text.replace(char, f" {char} ")
    out = []
    for word in text.split():
        now, known, i = [], starts, 0
        while i < len(word) and now != ["[UNK]"]:
            sizes = [n for n in range(1, len(word) - i + 1) if word[i : i + n] in known]
            if sizes:
                now.append(("##" if i else "") + word[i : i + sizes[-1]])
                i, known = i + sizes[-1], tails
            else:
                now = ["[UNK]"]
        out += now
    return out


def fewest_pieces(word, vocabulary):
    for cuts in range(len(word)):
        for places in itertools.combinations(range(1, len(word)), cuts):
            ends = (0, *places, len(word))
            pieces = [
                ("##" if a else "") + word[a:b]
                for a, b in zip(ends, ends[1:], strict=False)
            ]
            if set(pieces) <= set(vocabulary):
                return len(pieces)
    return None
