"""Opens the gate with probability ½, whatever x is."""

import torch


def gated_mean(x, draws, seed):
    torch.manual_seed(seed)
    return x * (torch.rand(draws) < 0.5).double().mean().item()
