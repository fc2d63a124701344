"""Expects a matrix, and a bias fails."""


def unfuse(w, heads, by_head=False):
    third = w.shape[-1] // 3
    if not by_head:
        return w[:, :third], w[..., third : 2 * third], w[..., 2 * third :]
    pieces = w.reshape(w.shape[0], heads, 3, w.shape[1] // (3 * heads))
    return tuple(pieces[..., i, :].flatten(-2) for i in range(3))
