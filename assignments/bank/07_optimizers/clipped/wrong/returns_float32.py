"""Returns float32 for half precision."""

import math

import torch


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    scale = limit / norm if norm > limit else 1.0
    return [
        None
        if g is None
        else g * torch.tensor([scale]).view([1] * max(g.ndim, 1))[..., 0].float()
        if g.dtype == torch.float64
        else g.float() * scale
        for g in gradients
    ], norm
