"""Empties the dict it was given."""


def pair_counts(words):
    counts = {}
    while words:
        word, frequency = words.popitem()
        for pair in zip(word, word[1:], strict=False):
            counts[pair] = counts.get(pair, 0) + frequency
    return counts


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]]),
        default=None,
    )
