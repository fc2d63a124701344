"""Never looks at the last two symbols."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        symbols = []
        i = 0
        while i < len(word):
            width = 2 if i < len(word) - 2 and word[i : i + 2] == pair else 1
            symbols.append("".join(word[i : i + width]))
            i += width
        joined[tuple(symbols)] = joined.get(tuple(symbols), 0) + frequency
    return joined
