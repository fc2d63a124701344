"""Averages the squares."""

import math


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(
        sum(squares) / max(1, sum(g.numel() for g in gradients if g is not None))
    )
    if not math.isfinite(norm):
        return None, norm
    scale = limit / norm if norm > limit else 1.0
    return [None if g is None else g * scale for g in gradients], norm
