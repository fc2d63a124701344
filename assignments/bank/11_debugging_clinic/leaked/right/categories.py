"""Keeps characters by their Unicode category."""

import unicodedata

import torch


def letters_of(text):
    text = unicodedata.normalize("NFKC", text).lower()
    return tuple(c for c in text if unicodedata.category(c)[0] in "LN")


def leaked(train, test):
    found = []
    known = [letters_of(text) for text in train]
    for i, text in enumerate(test):
        if letters_of(text) in known:
            found.append(i)
    return found


def split_apart(texts, share, seed):
    number = {}
    for text in texts:
        number.setdefault(letters_of(text), len(number))
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(number), generator=generator).tolist()
    chosen = set(order[: round(share * len(number))])
    parts = ([], [])
    for i, text in enumerate(texts):
        parts[number[letters_of(text)] in chosen].append(i)
    return parts
