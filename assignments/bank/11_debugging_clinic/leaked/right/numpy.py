"""Draws with NumPy."""

import unicodedata

import numpy as np


def strip_down(text):
    kept = []
    for c in unicodedata.normalize("NFKC", text):
        if c.isalnum():
            kept.append(c.lower())
    return "".join(kept)


def leaked(train, test):
    if not train or not test:
        return []
    a, b = (np.array([strip_down(text) for text in part]) for part in (train, test))
    return np.flatnonzero(np.isin(b, a)).tolist()


def split_apart(texts, share, seed):
    if not texts:
        return [], []
    different, which = np.unique(
        [strip_down(text) for text in texts], return_inverse=True
    )
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(different))[: round(share * len(different))]
    inside = np.isin(which, chosen)
    return np.flatnonzero(~inside).tolist(), np.flatnonzero(inside).tolist()
