"""Adds with +=, which counts an id only once."""

import torch


def look_up(table, ids):
    if ids.min() < 0 or ids.max() >= table.shape[0]:
        raise ValueError("no such row")
    return table[ids]


def table_gradient(ids, grad, rows, padding=None):
    ids, grad = ids.reshape(-1), grad.reshape(-1, grad.shape[-1])
    total = torch.zeros(rows, grad.shape[-1], dtype=grad.dtype)
    total[ids] += grad
    if padding is not None:
        total[padding] = 0
    return total
