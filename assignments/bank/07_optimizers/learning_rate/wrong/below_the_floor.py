"""Goes on below the floor."""

import math


def learning_rate(update, peak, warmup, total, shape="linear", floor=0.0):
    if shape not in ("linear", "cosine", "constant"):
        raise ValueError(f"unknown shape {shape!r}")
    if update <= warmup:
        return peak * update / warmup
    if shape == "constant":
        return peak
    if total == warmup:
        return floor
    done = (update - warmup) / (total - warmup)
    left = 1 - done if shape == "linear" else (1 + math.cos(math.pi * done)) / 2
    return floor + (peak - floor) * left
