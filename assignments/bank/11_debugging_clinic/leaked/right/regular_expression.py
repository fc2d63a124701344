"""Cleans with a regular expression and groups in a dict."""

import random
import re
import unicodedata


def key(text):
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).lower())


def leaked(train, test):
    seen = set(map(key, train))
    return [i for i in range(len(test)) if key(test[i]) in seen]


def split_apart(texts, share, seed):
    groups = {}
    for i, text in enumerate(texts):
        groups.setdefault(key(text), []).append(i)
    keys = list(groups)
    random.Random(seed).shuffle(keys)
    cut = round(share * len(keys))
    test = sorted(i for one in keys[:cut] for i in groups[one])
    train = sorted(i for one in keys[cut:] for i in groups[one])
    return train, test
