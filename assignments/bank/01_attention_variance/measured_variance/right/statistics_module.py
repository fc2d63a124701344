"""The scores as a list, the variance from the standard library."""

import statistics

import torch


def dot(pair):
    return torch.dot(*pair).item()


def measured_variance(c, draws, seed):
    torch.manual_seed(seed + 1)
    pairs = torch.randn(draws, 2, c)
    return statistics.variance([dot(pair) for pair in pairs])
