"""A for loop over the number of merges that are wanted."""


def learn_merges(words, size):
    symbols = sorted({*"".join(words)})
    split = {tuple(word): n for word, n in words.items()}
    merges = []
    for _ in range(size - len(symbols)):
        counts = pair_counts(split)
        if not counts:
            break
        ages = {symbol: age for age, symbol in enumerate(symbols)}
        merges.append(next_pair(counts, ages))
        symbols.append("".join(merges[-1]))
        split = join_in_words(split, merges[-1])
    return {symbol: i for i, symbol in enumerate(symbols)}, merges
