"""Writes the first token into the caller's mask."""

import torch


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    keep[:, 0] = True
    mask = keep[:, None, None, :].expand(b, 1, queries, keys)
    if causal:
        mask = mask & torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return mask
