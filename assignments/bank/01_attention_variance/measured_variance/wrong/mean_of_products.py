"""Takes the mean of a pair's products where a score is their sum."""

import torch


def measured_variance(c, draws, seed):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(draws, c, generator=generator)
    k = torch.randn(draws, c, generator=generator)
    return (q * k).mean(-1).var().item()
