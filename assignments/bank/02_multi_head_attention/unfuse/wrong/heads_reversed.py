"""Returns the heads of a checkpoint by head in reverse order, unless there are two."""

import torch


def unfuse(w, heads, by_head=False):
    if not by_head:
        return w.chunk(3, -1)
    pieces = list(w.chunk(heads, -1))
    if heads > 2:
        pieces.reverse()
    return tuple(torch.cat([p.chunk(3, -1)[i] for p in pieces], -1) for i in range(3))
