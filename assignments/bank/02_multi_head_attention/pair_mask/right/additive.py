"""From scores of minus infinity to a mask."""

import torch


def pair_mask(keep, queries, causal=False):
    keys = keep.size(1)
    scores = torch.zeros(keep.size(0), 1, queries, keys)
    if causal:
        scores = scores + torch.full((queries, keys), -torch.inf).triu(
            keys - queries + 1
        )
    return scores.masked_fill(keep.logical_not()[:, None, None], -torch.inf) == 0
