"""Slices stacked, slices laid end to end."""

import torch


def to_heads(x, heads):
    if x.size(-1) % heads != 0:
        raise ValueError(f"{x.size(-1)} is no multiple of {heads}")
    return torch.stack(x.chunk(heads, dim=-1), dim=-3)


def from_heads(x):
    return torch.cat(x.unbind(-3), dim=-1)
