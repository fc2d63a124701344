"""Builds J and takes its norm."""

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
    return (jacobian_norm(scores) < below).double().mean().item()
