"""Multiplies by Φ(x) itself: that is GELU, and nothing is drawn."""

from statistics import NormalDist


def gated_mean(x, draws, seed):
    return x * NormalDist().cdf(x)
