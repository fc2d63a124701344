"""Divides by the largest number before it squares."""

import math

import torch


def clipped(gradients, limit):
    real = [
        g.float() if g.dtype != torch.float64 else g for g in gradients if g is not None
    ]
    top = max((float(g.abs().max()) for g in real if g.numel()), default=0.0)
    if any(not bool(g.isfinite().all()) for g in real):
        return None, float("nan")
    if top == 0.0:
        return [None if g is None else g.clone() for g in gradients], 0.0
    norm = top * math.sqrt(sum(float(((g / top) ** 2).sum()) for g in real))
    factor = min(1.0, limit / norm)
    return [None if g is None else g * factor for g in gradients], norm
