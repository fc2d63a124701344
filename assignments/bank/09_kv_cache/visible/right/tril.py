"""A triangle moved to the right."""

import torch


def visible(new, past=0, keep=None):
    mask = torch.ones(new, past + new, dtype=torch.bool).tril(diagonal=past)
    if keep is not None:
        mask = mask.logical_and(keep.unsqueeze(1) != 0)
    return mask
