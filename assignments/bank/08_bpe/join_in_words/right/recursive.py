"""Splits a word into head and tail."""


def join(word, first, second):
    if len(word) < 2:
        return word
    if word[0] == first and word[1] == second:
        return (first + second, *join(word[2:], first, second))
    return (word[0], *join(word[1:], first, second))


def join_in_words(words, pair):
    pairs = [(join(word, *pair), n) for word, n in words.items()]
    return {word: sum(n for other, n in pairs if other == word) for word, _ in pairs}
