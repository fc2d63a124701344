"""Starts one place too late and shows one token of the future."""

import torch


def visible(new, past=0, keep=None):
    queries = torch.arange(past + 1, past + 1 + new)[:, None]  # q 1
    mask = torch.arange(past + new) <= queries  # q k
    return mask if keep is None else mask & keep[:, None, :].bool()
