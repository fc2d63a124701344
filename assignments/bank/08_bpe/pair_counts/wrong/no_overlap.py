"""Counts the pair in a a a once, as if a symbol were used up."""


def pair_counts(words):
    counts = {}
    for word, frequency in words.items():
        i = 0
        while i < len(word) - 1:
            pair = word[i], word[i + 1]
            counts[pair] = counts.get(pair, 0) + frequency
            same_again = word[i : i + 3] == (word[i],) * 3
            i += 2 if same_again else 1
    return counts


def next_pair(counts, vocabulary):
    return min(
        counts,
        key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]]),
        default=None,
    )
