"""NumPy for the grid, tensors for the function."""

import math

import numpy as np
import torch


def approximation(x, form):
    if form == "sigmoid":
        return x * torch.sigmoid(x * 1.702)
    if form == "tanh":
        return (
            x
            * (torch.tanh((x + 0.044715 * x * x * x) * math.sqrt(2 / math.pi)) + 1)
            * 0.5
        )
    raise ValueError("unknown")


def largest_error(form, low, high, points):
    x = np.linspace(low, high, points)
    exact = x * np.vectorize(math.erfc)(-x / np.sqrt(2)) / 2
    error = np.abs(approximation(torch.from_numpy(x), form).numpy() - exact)
    return x[error.argmax()], error.max()
