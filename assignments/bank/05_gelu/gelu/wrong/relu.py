"""Computes ReLU."""


def gelu(x):
    return x.clamp(min=0)
