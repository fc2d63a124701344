"""Divides by the variance; a factor acts on the standard deviation."""

import torch


def unit_scale(q, k, keep=None):
    scores = torch.einsum("bhqc,bhkc->hbqk", q, k)
    if keep is None:
        keep = torch.ones(k.shape[0], k.shape[2], dtype=torch.bool)
    real = keep[:, None, :].expand(scores.shape[1:])
    return 1 / scores[:, real].var(-1, correction=0)
