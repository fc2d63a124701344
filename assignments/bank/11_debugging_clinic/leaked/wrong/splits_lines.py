"""Splits lines, not different texts, so that copies fall on both sides."""

import random
import unicodedata


def leaked(train, test):
    known = {letters_of(text) for text in train}
    return [i for i, text in enumerate(test) if letters_of(text) in known]


def letters_of(text):
    return "".join(
        c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum()
    )


def split_apart(texts, share, seed):
    prints = [letters_of(text) for text in texts]
    different = sorted(set(prints))
    test = sorted(
        random.Random(seed).sample(range(len(prints)), round(share * len(different)))
    )
    return [i for i in range(len(texts)) if i not in set(test)], test
