"""Ranks texts by a random number that depends on seed and text."""

import random
import unicodedata


def clean(text):
    small = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, small))


def leaked(train, test):
    known = dict.fromkeys(clean(text) for text in train)
    return [i for i, text in enumerate(test) if clean(text) in known]


def split_apart(texts, share, seed):
    cleaned = [clean(text) for text in texts]
    ranked = sorted(
        set(cleaned), key=lambda one: random.Random(f"{seed}/{one}").random()
    )
    chosen = frozenset(ranked[: round(share * len(ranked))])
    sides = {True: [], False: []}
    for i, one in enumerate(cleaned):
        sides[one in chosen].append(i)
    return sides[False], sides[True]
