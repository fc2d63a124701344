"""Leaves the cached columns out."""

import torch


def visible(new, past=0, keep=None):
    queries = torch.arange(past, past + new)[:, None]  # q 1
    mask = torch.arange(new) <= queries - past  # q k
    return mask if keep is None else mask & keep[:, None, past:].bool()
