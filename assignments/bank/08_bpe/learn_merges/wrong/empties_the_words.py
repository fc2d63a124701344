"""Empties the words it was given."""


def learn_merges(words, size):
    vocabulary = {symbol: i for i, symbol in enumerate(sorted(set("".join(words))))}
    split = {tuple(word): words.pop(word) for word in list(words)}
    merges = []
    while len(vocabulary) < size:
        pair = next_pair(pair_counts(split), vocabulary)
        if pair is None:
            break
        split = join_in_words(split, pair)
        merges.append(pair)
        vocabulary["".join(pair)] = len(vocabulary)
    return vocabulary, merges
