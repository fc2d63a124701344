"""Copies the slices by hand and leaves the graph."""

import torch


def to_heads(x, heads):
    if x.shape[-1] % heads:
        raise ValueError("the width is not a multiple of the number of heads")
    pieces = x.detach().chunk(heads, dim=-1)
    return torch.stack(pieces, dim=-3)


def from_heads(x):
    x = x.transpose(-2, -3)
    return x.reshape(*x.shape[:-2], -1)
