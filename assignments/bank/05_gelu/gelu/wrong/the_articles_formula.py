"""x·Φ(1.702x): the 1.702 belongs to the sigmoid approximation."""

import torch


def gelu(x):
    return x * torch.special.ndtr(1.702 * x)
