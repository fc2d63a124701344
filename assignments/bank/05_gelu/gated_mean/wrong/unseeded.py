"""Does not use the seed."""

import torch


def gated_mean(x, draws, seed):
    return x * (torch.randn(draws) < x).double().mean().item()
