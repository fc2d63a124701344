"""Ceiling division, and NumPy's add.at."""

import numpy as np
import torch


def table_parameters(v, d, e=None):
    width = d if e is None else e
    return v * width + (0 if e is None else e * d + d)


def largest_width(v, d):
    return max(-(-(v * d - d) // (v + d)) - 1, 0)


def tied_gradient(ids, grad_rows, states, grad_logits):
    s = states.double().numpy().reshape(-1, states.shape[-1])
    g = grad_logits.double().numpy().reshape(len(s), -1)
    total = g.T @ s
    np.add.at(
        total,
        ids.numpy().reshape(-1),
        grad_rows.double().numpy().reshape(-1, s.shape[1]),
    )
    return torch.from_numpy(total).to(grad_rows.dtype)
