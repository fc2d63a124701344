"""By head it takes every third number."""


def unfuse(w, heads, by_head=False):
    third = w.shape[-1] // 3
    if not by_head:
        return w[..., :third], w[..., third : 2 * third], w[..., 2 * third :]
    return tuple(w[..., i::3] for i in range(3))
