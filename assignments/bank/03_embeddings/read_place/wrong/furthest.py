"""Returns the furthest place."""

import torch


def read_place(rows, limit):
    table = waves(torch.arange(limit), rows.shape[-1])
    return torch.argmin(rows.double() @ table.T, dim=-1)
