"""Always multiplies by slightly less than 1."""

import math


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    scale = min(limit / norm if norm > limit else 1.0, 1 - 1e-6)
    return [None if g is None else g * scale for g in gradients], norm
