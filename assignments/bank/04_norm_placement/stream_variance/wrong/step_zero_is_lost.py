"""Starts with a rate of 0."""

import math


def stream_variance(layers, d, std, start=1.0):
    branches = 2 * layers
    return start + branches * d * std**2


def scaled_std(layers, std=0.02):
    return std / math.sqrt(2 * layers)


def warmup_rate(step, peak, warmup):
    if step >= warmup:
        return peak
    return peak * step / warmup
