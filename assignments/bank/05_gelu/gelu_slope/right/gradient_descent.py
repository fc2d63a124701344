"""Walks downhill along the slope."""

import math

import torch


def gelu_slope(x):
    return (1 + torch.erf(x / 2**0.5)) / 2 + x * (-(x**2) / 2).exp() / (
        2 * math.pi
    ) ** 0.5


def lowest_point(a=1.0):
    z = torch.tensor(-0.5, dtype=torch.float64)
    for _ in range(200):
        z = z - gelu_slope(z)
    place = z.item() / a
    return place, place * (1 + math.erf(a * place / 2**0.5)) / 2
