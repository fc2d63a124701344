"""Reshapes to three times heads where heads come first: that is the layout in blocks again."""


def unfuse(w, heads, by_head=False):
    third = w.shape[-1] // 3
    if not by_head:
        return w[..., :third], w[..., third : 2 * third], w[..., 2 * third :]
    pieces = w.reshape(*w.shape[:-1], 3, heads, -1)
    return tuple(pieces[..., i, :, :].flatten(-2) for i in range(3))
