"""Takes the best row of each place instead of the best place of each row."""

import torch


def read_place(rows, limit):
    table = waves(torch.arange(limit), rows.shape[-1])
    return torch.argmax(rows.double() @ table.T, dim=-1 if rows.ndim == 2 else 0)
