"""Lets nothing through when x is negative, as ReLU does."""

import torch


def gated_mean(x, draws, seed):
    torch.manual_seed(seed)
    return max(x, 0.0) * (torch.randn(draws) < x).double().mean().item()
