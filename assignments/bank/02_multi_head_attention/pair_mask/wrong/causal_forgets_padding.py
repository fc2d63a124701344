"""Starts anew for the causal mask, and padding shows again."""

import torch


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    mask = keep[:, None, None, :].expand(b, 1, queries, keys)
    if causal:
        mask = torch.ones(b, 1, queries, keys, dtype=torch.bool).tril(keys - queries)
    return mask
