"""Rounds the scale to the gradient's dtype."""

import math

import torch


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    scale = limit / norm if norm > limit else 1.0
    return [
        None if g is None else g * torch.tensor(scale, dtype=g.dtype) for g in gradients
    ], norm
