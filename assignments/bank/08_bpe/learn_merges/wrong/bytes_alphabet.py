"""Starts from the alphabet a to z, whether the words have it or not."""


def learn_merges(words, size):
    vocabulary = {symbol: i for i, symbol in enumerate("abcdefghijklmnopqrstuvwxyz")}
    split = {tuple(word): frequency for word, frequency in words.items()}
    merges = []
    while len(vocabulary) < size + 26 - len(set("".join(words))):
        pair = next_pair(pair_counts(split), vocabulary)
        if pair is None:
            break
        split = join_in_words(split, pair)
        merges.append(pair)
        vocabulary["".join(pair)] = len(vocabulary)
    return vocabulary, merges
