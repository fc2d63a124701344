"""Takes each norm in the gradient's own dtype."""

import math


def clipped(gradients, limit):
    squares = [g.norm().double().square().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    scale = limit / norm if norm > limit else 1.0
    return [None if g is None else g * scale for g in gradients], norm
