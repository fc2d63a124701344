"""Edits a list copy of each word."""


def join_in_words(words, pair):
    out = {}
    for word, n in words.items():
        copy, i = list(word), 0
        while i + 1 < len(copy):
            if (copy[i], copy[i + 1]) == pair:
                copy[i : i + 2] = [copy[i] + copy[i + 1]]
            i += 1
        key = tuple(copy)
        out.setdefault(key, 0)
        out[key] += n
    return out
