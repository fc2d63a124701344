"""Counts axes from the front, so that only b t d works."""


def to_heads(x, heads):
    if x.shape[-1] % heads:
        raise ValueError("the width is not a multiple of the number of heads")
    return x.reshape(*x.shape[:-1], heads, -1).transpose(1, 2)


def from_heads(x):
    x = x.transpose(-2, -3)
    return x.reshape(*x.shape[:-2], -1)
