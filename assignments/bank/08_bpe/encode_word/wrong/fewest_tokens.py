"""Looks for the fewest tokens that spell the word."""


def encode_word(word, merges):
    tokens = {a + b for a, b in merges} | set(word)
    best = [[]]
    for end in range(1, len(word) + 1):
        ways = [best[s] + [word[s:end]] for s in range(end) if word[s:end] in tokens]
        best.append(min(ways, key=len))
    return best[-1]
