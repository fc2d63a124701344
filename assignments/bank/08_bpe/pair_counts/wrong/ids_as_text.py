"""Compares ids as texts, so that 100 comes before 90."""


def pair_counts(words):
    counts = {}
    for word, frequency in words.items():
        for pair in zip(word, word[1:], strict=False):
            counts[pair] = counts.get(pair, 0) + frequency
    return counts


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: (
            -counts[pair],
            str(vocabulary[pair[0]]),
            str(vocabulary[pair[1]]),
        ),
        default=None,
    )
