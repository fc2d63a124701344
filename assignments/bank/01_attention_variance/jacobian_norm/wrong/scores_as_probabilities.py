"""Uses the scores where their softmax belongs."""

import torch


def jacobian_norm(scores):
    p = scores
    return (
        (torch.diag_embed(p) - p[..., :, None] * p[..., None, :])
        .flatten(-2)
        .norm(dim=-1)
    )


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
