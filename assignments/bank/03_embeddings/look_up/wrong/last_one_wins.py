"""Writes each gradient to its row, so that the last one wins."""

import torch


def look_up(table, ids):
    if ids.min() < 0 or ids.max() >= table.shape[0]:
        raise ValueError("no such row")
    return table[ids]


def table_gradient(ids, grad, rows, padding=None):
    ids, grad = ids.reshape(-1), grad.reshape(-1, grad.shape[-1])
    total = torch.zeros(rows, grad.shape[-1], dtype=grad.dtype)
    for i, g in zip(ids.tolist(), grad, strict=True):
        total[i] = g
    if padding is not None:
        total[padding] = 0
    return total
