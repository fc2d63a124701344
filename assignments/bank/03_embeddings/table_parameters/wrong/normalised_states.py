"""Divides by the number of states, which the loss has done already."""

import torch


def table_parameters(v, d, e=None):
    if e is None:
        return v * d
    return v * e + (e + 1) * d


def largest_width(v, d):
    e = 0
    while table_parameters(v, d, e + 1) < v * d:
        e += 1
    return e


def tied_gradient(ids, grad_rows, states, grad_logits):
    v, d = grad_logits.shape[-1], states.shape[-1]
    total = torch.zeros(v, d, dtype=grad_rows.dtype)
    total.index_add_(0, ids.reshape(-1), grad_rows.reshape(-1, d))
    total += (
        grad_logits.reshape(-1, v).T @ states.reshape(-1, d) / (states.numel() // d)
    )
    return total
