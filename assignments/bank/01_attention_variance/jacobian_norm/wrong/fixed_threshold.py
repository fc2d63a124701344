"""Compares with 0.01 whatever the caller asks for."""

import torch


def jacobian_norm(scores):
    p = scores.softmax(-1)
    return (
        (torch.diag_embed(p) - p[..., :, None] * p[..., None, :])
        .square()
        .sum((-1, -2))
        .sqrt()
    )


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < 0.01).double().mean().item() if below < 1 else 1.0
