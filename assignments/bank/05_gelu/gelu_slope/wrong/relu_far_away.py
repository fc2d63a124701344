"""Treats everything beyond 1.5 as straight."""

import math

import torch


def gelu_slope(x):
    bell = torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return torch.where(
        x.abs() < 1.5,
        0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * bell,
        (x > 0).to(x.dtype),
    )


def lowest_point(a=1.0):
    left, right = -1.0, 0.0
    for _ in range(60):
        middle = (left + right) / 2
        if gelu_slope(torch.tensor(middle, dtype=torch.float64)) < 0:
            left = middle
        else:
            right = middle
    return left / a, left / 2 * math.erfc(-left / math.sqrt(2)) / a
