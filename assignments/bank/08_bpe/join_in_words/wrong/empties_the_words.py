"""Moves the words out of the dict it was given."""


def join_in_words(words, pair):
    joined = {}
    for word in list(words):
        frequency = words.pop(word)
        symbols = []
        i = 0
        while i < len(word):
            width = 2 if word[i : i + 2] == pair else 1
            symbols.append("".join(word[i : i + width]))
            i += width
        joined[tuple(symbols)] = joined.get(tuple(symbols), 0) + frequency
    return joined
