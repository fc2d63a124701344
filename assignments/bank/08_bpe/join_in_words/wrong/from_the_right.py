"""Joins from the right."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        symbols, i = [], len(word)
        while i > 0:
            width = 2 if word[max(i - 2, 0) : i] == pair else 1
            symbols.insert(0, "".join(word[i - width : i]))
            i -= width
        joined[tuple(symbols)] = joined.get(tuple(symbols), 0) + frequency
    return joined
