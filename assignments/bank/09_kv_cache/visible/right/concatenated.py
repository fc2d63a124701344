"""A block of ones beside a triangle."""

import torch


def visible(new, past=0, keep=None):
    triangle = torch.triu(torch.ones(new, new), diagonal=1) == 0
    mask = torch.cat([torch.ones(new, past).bool(), triangle], dim=1)
    if keep is None:
        return mask
    return torch.stack([mask & row.bool()[None] for row in keep])
