"""Euclidean distances."""

import torch


def read_place(rows, limit):
    d = rows.shape[-1]
    table = waves(torch.arange(limit), d)
    gaps = torch.cdist(rows.double().reshape(-1, d), table)
    return gaps.argmin(dim=1).reshape(rows.shape[:-1])
