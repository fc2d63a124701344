"""Computes in float32 and casts back: float64 loses half its digits."""

import math

import torch


def gelu(x):
    y = x.float()
    return (0.5 * y * (1 + torch.erf(y / math.sqrt(2)))).to(x.dtype)
