"""Seeds the global generator; the variance is the mean square minus the squared mean."""

import torch


def measured_variance(c, draws, seed):
    torch.manual_seed(seed)
    products = torch.randn(draws, c) * torch.randn(draws, c)
    scores = products.sum(dim=1)
    return (scores.pow(2).mean() - scores.mean() ** 2).item()
