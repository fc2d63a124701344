"""Goes on joining what has just been joined."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        symbols = []
        for symbol in word:
            if symbols and symbols[-1].endswith(pair[0]) and symbol == pair[1]:
                symbols[-1] += symbol
            else:
                symbols.append(symbol)
        joined[tuple(symbols)] = joined.get(tuple(symbols), 0) + frequency
    return joined
