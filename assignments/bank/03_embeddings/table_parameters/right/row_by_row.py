"""Each row of the table by itself."""

import torch


def table_parameters(v, d, e=None):
    plain, narrow = v * d, 0 if e is None else v * e + d * (e + 1)
    return plain if e is None else narrow


def largest_width(v, d):
    e = d
    while e > 0 and table_parameters(v, d, e) >= v * d:
        e -= 1
    return e


def tied_gradient(ids, grad_rows, states, grad_logits):
    rows = []
    for i in range(grad_logits.shape[-1]):
        looked_up = grad_rows[ids == i].reshape(-1, states.shape[-1]).sum(0)
        scored = (
            (grad_logits[..., i, None] * states).reshape(-1, states.shape[-1]).sum(0)
        )
        rows.append(looked_up + scored)
    return torch.stack(rows)
