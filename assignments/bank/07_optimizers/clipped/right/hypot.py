"""Python's hypot over all numbers."""

import math


def clipped(gradients, limit):
    numbers = [x for g in gradients if g is not None for x in g.flatten().tolist()]
    if any(x != x for x in numbers):
        return None, math.nan
    norm = math.hypot(*numbers)
    if norm == math.inf:
        return None, norm
    if norm <= limit:
        return list(gradients), norm
    return [
        g if g is None else (g.double() * (limit / norm)).to(g.dtype) for g in gradients
    ], norm
