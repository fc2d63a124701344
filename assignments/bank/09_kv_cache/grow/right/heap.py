"""A heap of free pages."""

import heapq

import torch


def grow(books, name, tokens, page):
    free = books["free"].copy()
    heapq.heapify(free)
    own, length = [*books["pages"].get(name, ())], books["length"].get(name, 0) + tokens
    try:
        while len(own) * page < length:
            own.append(heapq.heappop(free))
    except IndexError:
        raise ValueError("the free pages are too few") from None
    pages = books["pages"] | {name: own}
    return {
        "free": sorted(free),
        "pages": pages,
        "length": books["length"] | {name: length},
    }


def leave(books, name):
    rest = {key: dict(books[key]) for key in ("pages", "length")}
    back = rest["pages"].pop(name)
    del rest["length"][name]
    return {"free": [*heapq.merge(books["free"], sorted(back))], **rest}


def gathered(store, pages, length):
    one_after_the_other = torch.cat([store[number] for number in pages])  # (n page) h c
    return one_after_the_other[:length].movedim(1, 0)
