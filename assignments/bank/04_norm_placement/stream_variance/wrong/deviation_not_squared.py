"""Adds standard deviations where mean squares belong."""

import math


def stream_variance(layers, d, std, start=1.0):
    branches = 2 * layers
    return start + branches * d * std


def scaled_std(layers, std=0.02):
    return std / math.sqrt(2 * layers)


def warmup_rate(step, peak, warmup):
    if step >= warmup:
        return peak
    return peak * (step + 1) / warmup
