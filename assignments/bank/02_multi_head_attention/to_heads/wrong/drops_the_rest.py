"""Cuts off what does not fit into equal slices."""


def to_heads(x, heads):
    c = x.shape[-1] // heads
    return x[..., : heads * c].reshape(*x.shape[:-1], heads, c).transpose(-2, -3)


def from_heads(x):
    x = x.transpose(-2, -3)
    return x.reshape(*x.shape[:-2], -1)
