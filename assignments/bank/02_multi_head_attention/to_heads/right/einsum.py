"""Axes named and put in order by einsum."""

import torch


def to_heads(x, heads):
    width, rest = divmod(x.shape[-1], heads)
    if rest:
        raise ValueError(f"{rest} numbers of each token are left over")
    return torch.einsum("...thc->...htc", x.reshape(*x.shape[:-1], heads, width))


def from_heads(x):
    swapped = torch.einsum("...htc->...thc", x)
    return swapped.reshape(*swapped.shape[:-2], x.shape[-3] * x.shape[-1])
