"""Uses a symbol twice where places overlap."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        symbols, taken = [], False
        for i in range(len(word)):
            if word[i : i + 2] == pair:
                symbols.append(word[i] + word[i + 1])
                taken = True
            elif taken:
                taken = False
            else:
                symbols.append(word[i])
        joined[tuple(symbols)] = joined.get(tuple(symbols), 0) + frequency
    return joined
