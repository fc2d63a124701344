"""Joins the heads without bringing the tokens in front."""


def to_heads(x, heads):
    if x.shape[-1] % heads:
        raise ValueError("the width is not a multiple of the number of heads")
    return x.reshape(*x.shape[:-1], heads, -1).transpose(-2, -3)


def from_heads(x):
    *axes, h, t, c = x.shape
    return x.reshape(*axes, t, h * c)
