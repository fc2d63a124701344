"""Puts 1 in the place of every frequency."""


def join_in_words(words, pair):
    joined = {}
    for word in words:
        symbols = []
        i = 0
        while i < len(word):
            width = 2 if word[i : i + 2] == pair else 1
            symbols.append("".join(word[i : i + width]))
            i += width
        joined[tuple(symbols)] = 1
    return joined
