"""Divides by a norm of 0."""

import math

import torch


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    if norm == 0.0 and gradients:
        return [None if g is None else g / norm for g in gradients], norm
    scale = min(1.0, limit * (1 / torch.tensor(norm)).item())
    return [
        None if g is None else g * (scale if scale == 1.0 or norm else math.nan)
        for g in gradients
    ], norm
