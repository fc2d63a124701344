"""NumPy."""

import numpy as np


def stream_variance(layers, d, std, start=1.0):
    return np.float64(start) + np.prod([2.0, layers, d, std, std])


def scaled_std(layers, std=0.02):
    return float(std / np.sqrt(np.float64(2) * layers))


def warmup_rate(step, peak, warmup):
    return float(np.clip((step + 1) / warmup, 0, 1) * peak)
