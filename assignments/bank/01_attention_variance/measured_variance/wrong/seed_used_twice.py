"""Starts q's and k's generator from the same seed: both get the same numbers."""

import torch


def measured_variance(c, draws, seed):
    q = torch.randn(draws, c, generator=torch.Generator().manual_seed(seed))
    k = torch.randn(draws, c, generator=torch.Generator().manual_seed(seed))
    return (q * k).sum(-1).var().item()
