"""The width by bisection, the gradient by outer products."""

import torch


def table_parameters(v, d, e=None):
    return e * (v + d) + d if e is not None else v * d


def largest_width(v, d):
    low, high = 0, d
    while high - low > 1:
        middle = (low + high) // 2
        if table_parameters(v, d, middle) < table_parameters(v, d):
            low = middle
        else:
            high = middle
    return low


def tied_gradient(ids, grad_rows, states, grad_logits):
    v, d = grad_logits.shape[-1], states.shape[-1]
    total = torch.zeros(v, d, dtype=torch.float64)
    for i, g in zip(ids.reshape(-1).tolist(), grad_rows.reshape(-1, d), strict=True):
        total[i] += g
    for s, g in zip(states.reshape(-1, d), grad_logits.reshape(-1, v), strict=True):
        total += torch.outer(g.double(), s.double())
    return total.to(grad_rows.dtype)
