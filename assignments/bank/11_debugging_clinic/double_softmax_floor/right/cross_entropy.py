"""Asks PyTorch's cross-entropy."""

import math

import torch


def double_softmax_floor(classes):
    certain = torch.zeros(1, classes, dtype=torch.float64)
    certain[0, 0] = 1
    return torch.nn.functional.cross_entropy(certain, torch.tensor([0])).item()


def read_losses(losses, classes):
    x = torch.tensor(losses, dtype=torch.float64)
    if not x.isfinite().all():
        return "broken"
    end = x[-max(len(x) // 10, 1) :].mean().item()
    guess = math.log(classes)
    low = double_softmax_floor(classes)
    if abs(end / guess - 1) <= 0.03:
        return "guessing"
    if abs(end / low - 1) <= 0.03:
        return "softmax twice"
    return ("learning", "rising")[end > 1.2 * guess]
