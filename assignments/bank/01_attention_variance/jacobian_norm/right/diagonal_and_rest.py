"""Diagonal and off-diagonal entries apart: no term can turn negative."""

import torch


def jacobian_norm(scores):
    shifted = scores - scores.amax(-1, keepdim=True)
    p = shifted.exp() / shifted.exp().sum(-1, keepdim=True)
    others = 1 - torch.eye(p.shape[-1], dtype=p.dtype)
    diagonal = (p * (p @ others)).square().sum(-1)  # 1 - pᵢ is the sum of the others
    rest = ((p.square() @ others) * p.square()).sum(-1)
    return torch.sqrt(diagonal + rest)


def dead_share(scores, below=0.01):
    return float(torch.mean((jacobian_norm(scores) < below).float()))
