"""Returns b 1 1 k when nothing is causal."""

import torch


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    mask = keep[:, None, None, :]
    if causal:
        mask = mask & torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return mask
