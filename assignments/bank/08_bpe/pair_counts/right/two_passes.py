"""First the largest count, then the oldest of those that have it."""


def pair_counts(words):
    found = [
        (pair, n)
        for word, n in words.items()
        for pair in zip(word, word[1:], strict=False)
    ]
    return {pair: sum(n for other, n in found if other == pair) for pair, _ in found}


def next_pair(counts, vocabulary):
    if not counts:
        return None
    most = max(counts.values())
    best = [pair for pair in counts if counts[pair] == most]
    oldest = min(vocabulary[a] for a, _ in best)
    best = [(a, b) for a, b in best if vocabulary[a] == oldest]
    return min(best, key=lambda pair: vocabulary[pair[1]])
