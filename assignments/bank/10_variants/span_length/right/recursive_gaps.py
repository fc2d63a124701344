"""Finds gaps first, then changes them one by one."""

import random


def span_length(u, p=0.2, longest=10):
    below = 0.0
    total = sum((1 - p) ** n for n in range(longest))
    for length in range(1, longest):
        below += (1 - p) ** (length - 1) / total
        if below > u:
            return length
    return longest


def mask_spans(words, mask, vocabulary, seed):
    rng = random.Random(f"spans {seed}")
    places = [(n, token) for n, word in enumerate(words) for token in word]
    hidden = []
    budget = -(-15 * len(places) // 100)
    while len(hidden) < budget:
        words_left = span_length(rng.random())
        anchor = rng.randrange(len(places))
        if anchor in hidden:
            continue
        first = places[anchor][0]
        span = [i for i, (n, _) in enumerate(places) if 0 <= n - first < words_left]
        fresh = [i for i in span if i not in hidden]
        hidden += fresh[: budget - len(hidden)]
    ids = [token for _, token in places]
    labels = [-100] * len(ids)
    gaps = []
    for i in sorted(hidden):
        labels[i] = ids[i]
        if gaps and gaps[-1][-1] == i - 1:
            gaps[-1].append(i)
        else:
            gaps.append([i])
    for gap in gaps:
        fate = rng.randrange(10)
        for i in gap:
            ids[i] = (
                mask if fate < 8 else rng.randrange(vocabulary) if fate == 8 else ids[i]
            )
    return ids, labels
