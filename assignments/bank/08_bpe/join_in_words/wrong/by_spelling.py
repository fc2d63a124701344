"""Joins whatever two symbols spell the same as the pair."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        symbols = []
        i = 0
        while i < len(word):
            width = (
                2
                if "".join(word[i : i + 2]) == "".join(pair) and i + 1 < len(word)
                else 1
            )
            symbols.append("".join(word[i : i + width]))
            i += width
        joined[tuple(symbols)] = joined.get(tuple(symbols), 0) + frequency
    return joined
