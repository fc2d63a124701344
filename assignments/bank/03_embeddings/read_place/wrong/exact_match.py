"""Looks for a row that is equal but for rounding."""

import torch


def read_place(rows, limit):
    table = waves(torch.arange(limit), rows.shape[-1])
    gap = (rows.double()[..., None, :] - table).abs().amax(-1)
    return (gap < 1e-4).double().argmax(-1)
