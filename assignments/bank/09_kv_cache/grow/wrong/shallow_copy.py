"""Copies the dicts and not the lists in them."""


def grow(books, name, tokens, page):
    free, pages, length = (
        list(books["free"]),
        dict(books["pages"]),
        dict(books["length"]),
    )
    length[name] = length.get(name, 0) + tokens
    own = pages.setdefault(name, [])
    while len(own) * page < length[name]:
        if not free:
            raise ValueError("too few pages")
        own.append(free.pop(0))
    return {"free": free, "pages": pages, "length": length}


def leave(books, name):
    return {
        "free": sorted(books["free"] + books["pages"][name]),
        "pages": {other: own for other, own in books["pages"].items() if other != name},
        "length": {other: n for other, n in books["length"].items() if other != name},
    }


def gathered(store, pages, length):
    return store[pages].flatten(0, 1)[:length].transpose(0, 1)  # h t c
