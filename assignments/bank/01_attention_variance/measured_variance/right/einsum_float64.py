"""One einsum in float64."""

import torch


def measured_variance(c, draws, seed):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(draws, c, generator=generator, dtype=torch.float64)
    k = torch.randn(draws, c, generator=generator, dtype=torch.float64)
    return float(torch.einsum("nc,nc->n", q, k).var(correction=0))
