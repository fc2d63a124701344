"""Works for one or two axes and mixes up more of them."""

import torch


def jacobian_norm(scores):
    p = scores.softmax(-1)
    p = p.reshape(-1, p.shape[-1])
    norms = (torch.diag_embed(p) - p[:, :, None] * p[:, None, :]).norm(dim=(1, 2))
    return norms if scores.ndim > 1 else norms[0]


def dead_share(scores, below=0.01):
    return (jacobian_norm(scores) < below).double().mean().item()
