"""Takes a difference quotient, which float32 spoils."""

import math

import torch


def gelu_slope(x):
    def f(z):
        return z * 0.5 * (1 + torch.erf(z / math.sqrt(2)))

    return (f(x + 1e-4) - f(x - 1e-4)) / 2e-4


def lowest_point(a=1.0):
    left, right = -1.0, 0.0
    for _ in range(60):
        middle = (left + right) / 2
        if gelu_slope(torch.tensor(middle, dtype=torch.float64)) < 0:
            left = middle
        else:
            right = middle
    return left / a, left / 2 * math.erfc(-left / math.sqrt(2)) / a
