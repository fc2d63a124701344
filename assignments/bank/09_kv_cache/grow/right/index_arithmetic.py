"""Index arithmetic for pages and places."""

import torch


def grow(books, name, tokens, page):
    pages = {key: list(value) for key, value in books["pages"].items()}
    lengths = dict(books["length"])
    before = lengths.get(name, 0)
    after = before + tokens
    need = -(-after // page) + (-before // page)
    free = sorted(books["free"])
    if len(free) < need:
        raise ValueError(f"{need} pages are needed")
    pages[name] = pages.get(name, []) + free[:need]
    lengths[name] = after
    return {"free": free[need:], "pages": pages, "length": lengths}


def leave(books, name):
    pages = {key: list(value) for key, value in books["pages"].items()}
    lengths = dict(books["length"])
    back = set(pages.pop(name)) | set(books["free"])
    lengths.pop(name)
    return {"free": sorted(back), "pages": pages, "length": lengths}


def gathered(store, pages, length):
    t = torch.arange(length)
    page = store.size(1)
    return store[torch.tensor(pages)[t // page], t % page].permute(1, 0, 2)
