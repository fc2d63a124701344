"""Repeats each word as often as it occurs."""

from collections import Counter
from itertools import pairwise


def learn_merges(words, size):
    text = [list(word) for word, n in words.items() for _ in range(n)]
    vocabulary = {}
    for letter in sorted({c for word in text for c in word}):
        vocabulary[letter] = len(vocabulary)
    merges = []
    while len(vocabulary) < size:
        counts = Counter(pair for word in text for pair in pairwise(word))
        if not counts:
            return vocabulary, merges
        top = max(counts.values())
        ties = [pair for pair, n in counts.items() if n == top]
        a, b = sorted(ties, key=lambda p: (vocabulary[p[0]], vocabulary[p[1]]))[0]
        merges.append((a, b))
        vocabulary[a + b] = len(vocabulary)
        for word in text:
            for i in reversed(range(len(word) - 1)):
                run = 0
                while a == b and run <= i and word[i - run] == a:
                    run += 1
                if word[i : i + 2] == [a, b] and (a != b or run % 2 == 1):
                    word[i : i + 2] = [a + b]
    return vocabulary, merges
