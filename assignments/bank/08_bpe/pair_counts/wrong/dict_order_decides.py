"""Takes the first of equally frequent pairs in the dict."""


def pair_counts(words):
    counts = {}
    for word, frequency in words.items():
        for pair in zip(word, word[1:], strict=False):
            counts[pair] = counts.get(pair, 0) + frequency
    return counts


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: -counts[pair],
        default=None,
    )
