"""Counts each word once, however often it occurs."""


def pair_counts(words):
    counts = {}
    for word in words:
        for pair in zip(word, word[1:], strict=False):
            counts[pair] = counts.get(pair, 0) + 1
    return counts


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]]),
        default=None,
    )
