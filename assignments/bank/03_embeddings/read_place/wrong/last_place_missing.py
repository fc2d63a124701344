"""Leaves out the last place."""

import torch


def read_place(rows, limit):
    table = waves(torch.arange(max(limit - 1, 1)), rows.shape[-1])
    return torch.argmax(rows.double() @ table.T, dim=-1)
