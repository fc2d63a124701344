"""Looks for the minimum on a grid of hundredths."""

import math

import torch


def gelu_slope(x):
    bell = torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * bell


def lowest_point(a=1.0):
    x = torch.arange(-2000, 1) / 1000 / a
    y = x * torch.special.ndtr(a * x)
    return x[y.argmin()].item(), y.min().item()
