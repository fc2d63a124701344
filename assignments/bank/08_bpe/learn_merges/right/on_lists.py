"""Without the earlier parts, on lists and indices."""

from collections import Counter
from itertools import pairwise


def learn_merges(words, size):
    names = sorted({letter for word in words for letter in word})
    texts = [([names.index(c) for c in word], n) for word, n in words.items()]
    merges = []
    while len(names) < size:
        counts = Counter()
        for ids, n in texts:
            for pair in pairwise(ids):
                counts[pair] += n
        if not counts:
            break
        (a, b), _ = min(counts.items(), key=lambda item: (-item[1], item[0]))
        merges.append((names[a], names[b]))
        names.append(names[a] + names[b])
        for ids, _ in texts:
            i = 0
            while i < len(ids) - 1:
                if ids[i] == a and ids[i + 1] == b:
                    ids[i : i + 2] = [len(names) - 1]
                i += 1
    return dict(zip(names, range(len(names)), strict=False)), merges
