"""Shifts the keys by one offset after another, in float64."""

import torch


def window_weights(q, k, radius, far, keep=None):
    dtype, (b, _, t, c) = q.dtype, q.shape
    q, k = q.double() / c**0.5, k.double()
    keep = torch.ones(b, t, dtype=torch.bool) if keep is None else keep
    columns, open_ = [], []
    for j in far:
        columns.append((q * k[:, :, j : j + 1]).sum(-1))
        open_.append(keep & keep[:, j : j + 1])
    here = torch.arange(t)
    for offset in range(-radius, radius + 1):
        there = here + offset
        exists = torch.tensor([0 <= j < t and j not in far for j in there.tolist()])
        there = there % t
        columns.append((q * k[:, :, there]).sum(-1))
        open_.append(exists & keep & keep[:, there])
    scores = torch.stack(columns, -1)
    seen = torch.stack(open_, -1)[:, None]
    weights = torch.where(seen, scores, -1e300).softmax(-1)
    return (weights * seen).to(dtype)
