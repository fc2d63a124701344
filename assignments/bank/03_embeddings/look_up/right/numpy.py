"""take with a check of its own, and NumPy's add.at."""

import numpy as np
import torch


def look_up(table, ids):
    valid = torch.logical_and(ids > -1, len(table) > ids)
    if not valid.all():
        raise ValueError("id out of range")
    columns = [column.take(ids) for column in table.unbind(1)]
    return torch.stack(columns, dim=-1)


def table_gradient(ids, grad, rows, padding=None):
    total = np.zeros((rows, grad.shape[-1]))
    np.add.at(total, ids.numpy(), grad.double().numpy())
    if padding is not None:
        total[padding] = 0.0
    return torch.from_numpy(total).to(grad.dtype)
