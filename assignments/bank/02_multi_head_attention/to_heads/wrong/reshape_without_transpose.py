"""Reshapes straight to heads by tokens, so that a head gets whole tokens."""


def to_heads(x, heads):
    if x.shape[-1] % heads:
        raise ValueError("the width is not a multiple of the number of heads")
    *axes, t, d = x.shape
    return x.reshape(*axes, heads, t, d // heads)


def from_heads(x):
    x = x.transpose(-2, -3)
    return x.reshape(*x.shape[:-2], -1)
