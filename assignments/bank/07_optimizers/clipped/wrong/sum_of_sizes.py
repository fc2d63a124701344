"""Adds up the sizes of all numbers."""

import math


def clipped(gradients, limit):
    norm = sum(g.double().abs().sum().item() for g in gradients if g is not None)
    if not math.isfinite(norm):
        return None, norm
    scale = limit / norm if norm > limit else 1.0
    return [None if g is None else g * scale for g in gradients], norm
