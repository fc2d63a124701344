"""Takes one norm over all rows together."""

import torch


def jacobian_norm(scores):
    p = scores.softmax(-1)
    norm = (torch.diag_embed(p) - p[..., :, None] * p[..., None, :]).norm()
    return norm.expand(scores.shape[:-1]) / scores[..., 0].numel() ** 0.5


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
