"""Reshapes where the axes have to be turned."""

import math


def grow(books, name, tokens, page):
    free, own = books["free"], books["pages"].get(name, [])
    length = books["length"].get(name, 0) + tokens
    need = math.ceil(length / page) - len(own)
    if need > len(free):
        raise ValueError(f"{name!r} needs {need} pages, and {len(free)} are free")
    return {
        "free": free[need:],
        "pages": {**books["pages"], name: own + free[:need]},
        "length": {**books["length"], name: length},
    }


def leave(books, name):
    return {
        "free": sorted(books["free"] + books["pages"][name]),
        "pages": {other: own for other, own in books["pages"].items() if other != name},
        "length": {other: n for other, n in books["length"].items() if other != name},
    }


def gathered(store, pages, length):
    return (
        store[pages]
        .flatten(0, 1)[:length]
        .reshape(store.shape[2], length, store.shape[3])
    )  # h t c
