"""Select and scatter by index."""

import torch


def look_up(table, ids):
    size = table.size(0)
    if not bool(((ids >= 0) & (ids < size)).all()):
        raise ValueError(f"ids run from 0 to {size - 1}")
    return torch.index_select(table, 0, ids.reshape(-1)).reshape(
        *ids.shape, table.size(1)
    )


def table_gradient(ids, grad, rows, padding=None):
    total = grad.new_zeros(rows, grad.size(-1))
    learn = (
        torch.ones_like(ids, dtype=torch.bool) if padding is None else ids != padding
    )
    return total.index_put((ids[learn],), grad[learn], accumulate=True)
