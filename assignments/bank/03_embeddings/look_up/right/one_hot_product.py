"""The product with one-hot rows, both ways."""

import torch


def one_hot(ids, rows, dtype):
    return torch.nn.functional.one_hot(ids, rows).to(dtype)


def look_up(table, ids):
    for i in ids.flatten().tolist():
        if i not in range(len(table)):
            raise ValueError(f"there is no row {i}")
    return one_hot(ids, len(table), table.dtype) @ table


def table_gradient(ids, grad, rows, padding=None):
    chosen = one_hot(ids, rows, grad.dtype)
    if padding is not None:
        chosen = chosen * (torch.arange(rows) != padding)
    return torch.einsum(
        "nv,nd->vd", chosen.reshape(-1, rows), grad.reshape(-1, grad.shape[-1])
    )
