"""Computes number by number in Python, so that the gradient is lost."""

import math

import torch


def gelu(x):
    numbers = [
        n * 0.5 * (1 + math.erf(n / math.sqrt(2)))
        for n in x.double().flatten().tolist()
    ]
    return torch.tensor(numbers, dtype=x.dtype).view(x.shape)
