"""Takes the largest number for the norm."""

import math


def clipped(gradients, limit):
    norm = max([g.abs().max().item() for g in gradients if g is not None], default=0.0)
    if not math.isfinite(norm):
        return None, norm
    scale = limit / norm if norm > limit else 1.0
    return [None if g is None else g * scale for g in gradients], norm
