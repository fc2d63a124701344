"""Returns zeros where the update has to be skipped."""

import math

import torch


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return [None if g is None else torch.zeros_like(g) for g in gradients], norm
    scale = limit / norm if norm > limit else 1.0
    return [None if g is None else g * scale for g in gradients], norm
