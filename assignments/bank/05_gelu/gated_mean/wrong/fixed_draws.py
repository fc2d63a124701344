"""Ignores draws and always takes the same number of gates."""

import torch


def gated_mean(x, draws, seed):
    torch.manual_seed(seed)
    return x * (torch.randn(100_000) < x).double().mean().item()
