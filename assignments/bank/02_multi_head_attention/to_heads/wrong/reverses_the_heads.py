"""Counts the heads from the last slice."""


def to_heads(x, heads):
    if x.shape[-1] % heads:
        raise ValueError("the width is not a multiple of the number of heads")
    return x.reshape(*x.shape[:-1], heads, -1).transpose(-2, -3).flip(-3)


def from_heads(x):
    x = x.flip(-3).transpose(-2, -3)
    return x.reshape(*x.shape[:-2], -1)
