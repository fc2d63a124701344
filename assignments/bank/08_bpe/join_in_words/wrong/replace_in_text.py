"""Replaces in the word written with spaces, and so inside longer symbols."""


def join_in_words(words, pair):
    joined = {}
    for word, frequency in words.items():
        text = " ".join(word).replace(" ".join(pair), "".join(pair))
        joined[tuple(text.split())] = joined.get(tuple(text.split()), 0) + frequency
    return joined
