"""Returns a norm of 0 where it skips."""

import math


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, 0.0
    scale = limit / norm if norm > limit else 1.0
    return [None if g is None else g * scale for g in gradients], norm
