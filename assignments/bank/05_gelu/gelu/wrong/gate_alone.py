"""Returns Φ(x) and does not multiply by x."""

import math

import torch


def gelu(x):
    return 0.5 * (1 + torch.erf(x / math.sqrt(2)))
