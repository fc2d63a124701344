"""Measures the variance of one product and never sums over the width."""

import torch


def measured_variance(c, draws, seed):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(draws, c, generator=generator)
    k = torch.randn(draws, c, generator=generator)
    return (q * k).var().item()
