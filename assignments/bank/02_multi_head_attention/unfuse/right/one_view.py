"""Both layouts as views with different axes in front, as a list."""


def unfuse(w, heads, by_head=False):
    *axes, total = w.shape
    if by_head:
        y = w.view(*axes, heads, 3, total // (3 * heads)).transpose(-2, -3)
    else:
        y = w.view(*axes, 3, heads, total // (3 * heads))
    y = y.reshape(*axes, 3, total // 3)
    return [y[..., i, :] for i in range(3)]
