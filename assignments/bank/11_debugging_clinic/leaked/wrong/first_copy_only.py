"""Names every text once, however often it stands in the test part."""

import random
import unicodedata


def leaked(train, test):
    known = {letters_of(text) for text in train}
    found = {}
    for i, text in enumerate(test):
        if letters_of(text) in known:
            found.setdefault(letters_of(text), i)
    return sorted(found.values())


def letters_of(text):
    return "".join(
        c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum()
    )


def split_apart(texts, share, seed):
    prints = [letters_of(text) for text in texts]
    different = sorted(set(prints))
    chosen = random.Random(seed).sample(different, round(share * len(different)))
    test = [i for i, one in enumerate(prints) if one in set(chosen)]
    return [i for i in range(len(texts)) if i not in set(test)], test
