"""A loop over tokens."""

import torch


def look_up(table, ids):
    numbers = ids.reshape(-1).tolist()
    if min(numbers) < 0 or max(numbers) >= len(table):
        raise ValueError("unknown id")
    rows = [table[i] for i in numbers]
    return torch.stack(rows).reshape(ids.shape + table.shape[1:])


def table_gradient(ids, grad, rows, padding=None):
    total = [torch.zeros(grad.shape[-1], dtype=torch.float64) for _ in range(rows)]
    for i, g in zip(
        ids.reshape(-1).tolist(), grad.reshape(-1, grad.shape[-1]), strict=True
    ):
        if i != padding:
            total[i] = total[i] + g
    return torch.stack(total).to(grad.dtype)
