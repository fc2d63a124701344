"""Clips each number on its own."""

import math


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    return [None if g is None else g.clamp(-limit, limit) for g in gradients], norm
