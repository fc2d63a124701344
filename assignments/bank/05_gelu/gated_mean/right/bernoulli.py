"""Draws the gates from a Bernoulli distribution."""

import torch


def gated_mean(x, draws, seed):
    torch.manual_seed(seed)
    p = torch.special.ndtr(torch.tensor(float(x), dtype=torch.float64))
    gates = torch.bernoulli(p.expand(draws))
    return (x * gates).mean().item()
