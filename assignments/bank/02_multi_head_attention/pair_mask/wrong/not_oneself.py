"""Hides each token from itself."""

import torch


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    mask = keep[:, None, None, :].expand(b, 1, queries, keys)
    if causal:
        mask = mask & torch.ones(queries, keys, dtype=torch.bool).tril(
            keys - queries - 1
        )
    return mask
