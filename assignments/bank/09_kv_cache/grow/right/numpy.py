"""NumPy's ceiling and gathering."""

import numpy as np
import torch


def grow(books, name, tokens, page):
    length = {**books["length"]}
    length[name] = length.get(name, 0) + tokens
    own = books["pages"].get(name, [])
    need = int(np.ceil(length[name] / page)) - len(own)
    if need > len(books["free"]):
        raise ValueError(need)
    taken, free = books["free"][:need], books["free"][need:]
    return {
        "free": free,
        "pages": {**books["pages"], name: [*own, *taken]},
        "length": length,
    }


def leave(books, name):
    new = {
        key: {k: v for k, v in books[key].items() if k != name}
        for key in ("pages", "length")
    }
    return {"free": sorted([*books["pages"][name], *books["free"]]), **new}


def gathered(store, pages, length):
    index = torch.tensor(pages, dtype=torch.long)
    n, page, h, c = store.shape
    rows = store.permute(2, 0, 1, 3).index_select(1, index)  # h pages page c
    return rows.reshape(h, -1, c).narrow(1, 0, length)
