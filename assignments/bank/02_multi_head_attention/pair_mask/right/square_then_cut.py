"""The square mask of all tokens, cut to its last rows."""

import torch


def pair_mask(keep, queries, causal=False):
    b, t = keep.shape
    square = torch.ones(b, t, t, dtype=torch.bool)
    if causal:
        square = square.tril()
    return (square * keep.unsqueeze(1))[:, t - queries :].unsqueeze(1)
