"""The same algebra on a float64 tensor, which is what it returns."""

import torch


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    mean = torch.tensor([mean_q, mean_k], dtype=torch.float64)
    variance = torch.tensor([std_q, std_k], dtype=torch.float64).square()
    return c * ((variance + mean**2).prod() - mean.prod() ** 2)
