"""Takes padding for a tail, so that what stands after a hole is hidden."""

import torch


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    keep = keep.long().cumprod(1).bool()
    mask = keep[:, None, None, :].expand(b, 1, queries, keys)
    if causal:
        mask = mask & torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return mask
