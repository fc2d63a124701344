"""Takes the first symbols that a merge joins and does not look at later merges of them."""


def encode_word(word, merges):
    symbols, done = list(word), set()
    for a, b in merges:
        for i in range(len(symbols) - 1):
            if symbols[i : i + 2] == [a, b] and not {a, b} & done:
                symbols[i : i + 2] = [a + b]
                done.add(a + b)
    return symbols
