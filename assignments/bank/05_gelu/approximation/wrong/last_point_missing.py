"""Builds the grid with arange, which leaves the last point out."""

import math

import torch


def approximation(x, form):
    if form == "tanh":
        return (
            0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        )
    if form == "sigmoid":
        return x * torch.sigmoid(1.702 * x)
    raise ValueError(form)


def largest_error(form, low, high, points):
    x = low + (high - low) * torch.arange(points, dtype=torch.float64) / points
    error = (approximation(x, form) - x * torch.special.ndtr(x)).abs()
    worst = error.argmax()
    return x[worst].item(), error[worst].item()
