"""Takes every checkpoint for one by head."""


def unfuse(w, heads, by_head=False):
    pieces = w.reshape(*w.shape[:-1], heads, 3, -1)
    return tuple(pieces[..., i, :].flatten(-2) for i in range(3))
