"""Differentiates the tanh approximation."""

import math

import torch


def gelu_slope(x):
    root = math.sqrt(2 / math.pi)
    inner = torch.tanh(root * (x + 0.044715 * x**3))
    return 0.5 * (1 + inner) + 0.5 * x * (1 - inner**2) * root * (
        1 + 3 * 0.044715 * x**2
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
