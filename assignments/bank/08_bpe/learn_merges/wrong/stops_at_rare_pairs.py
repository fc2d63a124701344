"""Does not join a pair that occurs once."""


def learn_merges(words, size):
    vocabulary = {symbol: i for i, symbol in enumerate(sorted(set("".join(words))))}
    split = {tuple(word): frequency for word, frequency in words.items()}
    merges = []
    while len(vocabulary) < size:
        counts = {p: n for p, n in pair_counts(split).items() if n > 1}
        pair = next_pair(counts, vocabulary)
        if pair is None:
            break
        split = join_in_words(split, pair)
        merges.append(pair)
        vocabulary["".join(pair)] = len(vocabulary)
    return vocabulary, merges
