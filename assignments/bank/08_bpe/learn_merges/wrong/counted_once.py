"""Counts the pairs once, at the start."""


def learn_merges(words, size):
    vocabulary = {symbol: i for i, symbol in enumerate(sorted(set("".join(words))))}
    counts = pair_counts({tuple(word): n for word, n in words.items()})
    merges = []
    while len(vocabulary) < size and counts:
        pair = next_pair(counts, vocabulary)
        del counts[pair]
        merges.append(pair)
        vocabulary["".join(pair)] = len(vocabulary)
    return vocabulary, merges
