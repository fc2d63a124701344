"""Leaves out the axis for heads: b q k lines up the batch with the heads."""

import torch


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    mask = keep[:, None, :].expand(b, queries, keys)
    if causal:
        mask = mask & torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return mask
