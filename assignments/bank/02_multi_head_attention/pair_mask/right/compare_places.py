"""Places of queries and keys compared."""

import torch


def pair_mask(keep, queries, causal=False):
    place = torch.arange(keep.shape[1])
    behind = place[None, :] - place[-queries:, None]
    seen = behind <= 0 if causal else behind == behind
    return torch.logical_and(keep[:, None, None, :], seen[None, None])
