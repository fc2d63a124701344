"""Numbers the characters by how frequent they are."""


def learn_merges(words, size):
    vocabulary = {
        symbol: i
        for i, symbol in enumerate(
            sorted(
                set("".join(words)),
                key=lambda c: -sum(w.count(c) * n for w, n in words.items()),
            )
        )
    }
    split = {tuple(word): frequency for word, frequency in words.items()}
    merges = []
    while len(vocabulary) < size:
        pair = next_pair(pair_counts(split), vocabulary)
        if pair is None:
            break
        split = join_in_words(split, pair)
        merges.append(pair)
        vocabulary["".join(pair)] = len(vocabulary)
    return vocabulary, merges
