"""Drops all copies but one."""

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
    prints = [one if prints.index(one) == i else None for i, one in enumerate(prints)]
    different = sorted(set(prints) - {None})
    chosen = random.Random(seed).sample(different, round(share * len(different)))
    test = [i for i, one in enumerate(prints) if one in set(chosen)]
    train = [
        i for i in range(len(texts)) if i not in set(test) and prints[i] is not None
    ]
    return train, test
