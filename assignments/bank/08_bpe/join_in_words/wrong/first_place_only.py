"""Joins the first place in a word and leaves the rest."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        for i in range(len(word) - 1):
            if word[i : i + 2] == pair:
                word = (*word[:i], pair[0] + pair[1], *word[i + 2 :])
                break
        joined[word] = joined.get(word, 0) + frequency
    return joined
