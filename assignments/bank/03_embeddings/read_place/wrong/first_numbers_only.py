"""Compares the first four numbers of a row."""

import torch


def read_place(rows, limit):
    table = waves(torch.arange(limit), rows.shape[-1])
    return torch.argmax(rows.double()[..., :4] @ table[:, :4].T, dim=-1)
