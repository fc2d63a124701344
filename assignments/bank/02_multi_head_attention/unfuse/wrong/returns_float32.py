"""Returns float32, whatever comes in."""


def unfuse(w, heads, by_head=False):
    w = w.float()
    third = w.shape[-1] // 3
    if not by_head:
        return w[..., :third], w[..., third : 2 * third], w[..., 2 * third :]
    pieces = w.reshape(*w.shape[:-1], heads, 3, -1)
    return tuple(pieces[..., i, :].flatten(-2) for i in range(3))
