"""Draws one key for all queries: the variance is then that key's squared length."""

import torch


def measured_variance(c, draws, seed):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(draws, c, generator=generator)
    k = torch.randn(draws, c, generator=generator)
    return (q @ k[0]).var().item()
