"""Turns None into a gradient of 0."""

import math

import torch


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    scale = limit / norm if norm > limit else 1.0
    return [torch.zeros(1) if g is None else g * scale for g in gradients], norm
