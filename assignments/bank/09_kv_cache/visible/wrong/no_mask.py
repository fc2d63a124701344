"""Lets every token see every other."""

import torch


def visible(new, past=0, keep=None):
    mask = torch.ones(new, past + new, dtype=torch.bool)  # q k
    return mask if keep is None else mask & keep[:, None, :].bool()
