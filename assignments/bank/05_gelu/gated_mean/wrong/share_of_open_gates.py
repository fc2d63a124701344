"""Forgets to multiply by x."""

import torch


def gated_mean(x, draws, seed):
    torch.manual_seed(seed)
    return (torch.randn(draws) < x).double().mean().item()
