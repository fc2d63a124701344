"""Cuts the rows of a matrix: right for a bias only."""


def unfuse(w, heads, by_head=False):
    if not by_head:
        return w.chunk(3)
    pieces = w.reshape(*w.shape[:-1], heads, 3, -1)
    return tuple(pieces[..., i, :].flatten(-2) for i in range(3))
