"""The norm of the tensors' norms, with PyTorch's small number."""

import math

import torch


def clipped(gradients, limit):
    norms = [
        torch.linalg.vector_norm(g, dtype=torch.float64)
        for g in gradients
        if g is not None
    ]
    norm = float(torch.stack(norms).norm()) if norms else 0.0
    if math.isnan(norm) or math.isinf(norm):
        return None, norm
    scale = min(1.0, limit / (norm + 1e-12))
    return [g if g is None or scale == 1 else g.mul(scale) for g in gradients], norm
