"""Changes the old books."""

import math


def grow(books, name, tokens, page):
    own = books["pages"].setdefault(name, [])
    length = books["length"].get(name, 0) + tokens
    need = math.ceil(length / page) - len(own)
    if need > len(books["free"]):
        raise ValueError("too few pages")
    for _ in range(need):
        own.append(books["free"].pop(0))
    books["length"][name] = length
    return books


def leave(books, name):
    return {
        "free": sorted(books["free"] + books["pages"][name]),
        "pages": {other: own for other, own in books["pages"].items() if other != name},
        "length": {other: n for other, n in books["length"].items() if other != name},
    }


def gathered(store, pages, length):
    return store[pages].flatten(0, 1)[:length].transpose(0, 1)  # h t c
