"""Clips each tensor on its own."""

import math


def clipped(gradients, limit):
    squares = [g.double().square().sum().item() for g in gradients if g is not None]
    norm = math.sqrt(sum(squares))
    if not math.isfinite(norm):
        return None, norm
    own = [None if g is None else g.double().norm().item() for g in gradients]
    return [
        None if g is None else g * (limit / n if n > limit else 1.0)
        for g, n in zip(gradients, own, strict=True)
    ], norm
