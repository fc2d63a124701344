"""Half of x, plus half of it times erf."""

import torch

ROOT_HALF = 0.5**0.5


def gelu(numbers):
    half = numbers / 2
    return half + half * torch.erf(numbers * ROOT_HALF)
