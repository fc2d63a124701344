"""Takes the spectral norm, which is the largest singular value alone."""

import torch


def jacobian_norm(scores):
    p = scores.softmax(-1)
    return torch.linalg.matrix_norm(
        torch.diag_embed(p) - p[..., :, None] * p[..., None, :], ord=2
    )


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
