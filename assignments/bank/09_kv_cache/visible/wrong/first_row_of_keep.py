"""Uses the keep of the first sequence for all."""

import torch


def visible(new, past=0, keep=None):
    queries = torch.arange(past, past + new)[:, None]  # q 1
    mask = torch.arange(past + new) <= queries  # q k
    return (
        mask
        if keep is None
        else mask & keep[:1, None, :].bool().expand(len(keep), new, -1)
    )
