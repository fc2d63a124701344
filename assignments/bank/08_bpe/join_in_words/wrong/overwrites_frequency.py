"""Overwrites the frequency where two entries become one."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        symbols = []
        i = 0
        while i < len(word):
            width = 2 if word[i : i + 2] == pair else 1
            symbols.append("".join(word[i : i + width]))
            i += width
        joined[tuple(symbols)] = frequency
    return joined
