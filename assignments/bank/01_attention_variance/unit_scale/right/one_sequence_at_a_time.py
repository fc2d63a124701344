"""Real keys of each sequence first, so that padding never meets a query."""

import torch


def unit_scale(q, k, keep=None):
    rows = []
    for b in range(len(q)):
        real = k[b] if keep is None else k[b][:, keep[b]]
        rows.append((q[b] @ real.transpose(1, 2)).flatten(1))
    return torch.cat(rows, dim=1).var(dim=1, unbiased=False) ** -0.5
