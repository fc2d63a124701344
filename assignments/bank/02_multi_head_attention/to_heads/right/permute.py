"""All axes permuted by number, a view where possible."""


def swap(x):
    order = list(range(x.ndim))
    order[-2], order[-3] = order[-3], order[-2]
    return x.permute(order)


def to_heads(x, heads):
    if x.shape[-1] % heads > 0:
        raise ValueError("cannot cut")
    return swap(
        x.contiguous().view(*x.shape[:-1], heads, x.shape[-1] // heads)
    ).contiguous()


def from_heads(x):
    y = swap(x).contiguous()
    return y.view(*y.shape[:-2], y.shape[-2] * y.shape[-1])
