"""Hides the row of a padding token, not its column."""

import torch


def visible(new, past=0, keep=None):
    queries = torch.arange(past, past + new)[:, None]  # q 1
    mask = torch.arange(past + new) <= queries  # q k
    return mask if keep is None else mask & keep[:, past:, None].bool()
