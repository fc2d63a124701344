"""Returns the test part in the order in which it was drawn."""

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
    chosen = random.Random(seed).sample(different, round(share * len(different)))
    test = [i for one in chosen for i, other in enumerate(prints) if other == one]
    return [i for i in range(len(texts)) if i not in set(test)], test
