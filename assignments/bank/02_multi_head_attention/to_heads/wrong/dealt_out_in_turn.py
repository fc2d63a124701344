"""Gives head i every h-th number of a token."""


def to_heads(x, heads):
    if x.shape[-1] % heads:
        raise ValueError("the width is not a multiple of the number of heads")
    return x.reshape(*x.shape[:-1], -1, heads).movedim(-1, -3)


def from_heads(x):
    x = x.transpose(-2, -3)
    return x.reshape(*x.shape[:-2], -1)
