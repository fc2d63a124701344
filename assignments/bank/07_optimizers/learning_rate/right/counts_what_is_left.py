"""Counts the updates that are left."""

import math


def learning_rate(update, peak, warmup, total, shape="linear", floor=0.0):
    ways = {
        "linear": lambda left: left,
        "cosine": lambda left: (1 - math.cos(math.pi * left)) / 2,
        "constant": None,
    }
    if shape not in ways:
        raise ValueError(f"no schedule {shape}")
    if update <= warmup:
        return update * (peak / warmup)
    if ways[shape] is None:
        return peak
    left = max(0, total - update) / (total - warmup) if total > warmup else 0
    height = ways[shape](left)
    return height * peak + (1 - height) * floor
