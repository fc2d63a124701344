"""Averages the deviations of single rows, and so misses what differs between rows."""

import torch


def unit_scale(q, k, keep=None):
    deviations = []
    for b in range(q.shape[0]):
        real = k[b] if keep is None else k[b][:, keep[b]]
        deviations.append((q[b] @ real.mT).std(-1, correction=0))  # h q
    return 1 / torch.cat(deviations, dim=1).mean(1)
