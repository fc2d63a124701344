"""Measures q·q: k is not drawn apart from q."""

import torch


def measured_variance(c, draws, seed):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(draws, c, generator=generator)
    return (q * q).sum(-1).var().item()
