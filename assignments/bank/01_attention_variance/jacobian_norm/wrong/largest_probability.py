"""Calls a row dead when its largest probability is close to 1."""

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
    return (scores.softmax(-1).amax(-1) > 1 - below).double().mean().item()
