"""From tensors."""

import torch


def stream_variance(layers, d, std, start=1.0):
    added = torch.full((2 * layers, d), std, dtype=torch.float64).square().sum()
    return float(start + added)


def scaled_std(layers, std=0.02):
    return torch.tensor(std**2 / (2 * layers), dtype=torch.float64).sqrt().item()


def warmup_rate(step, peak, warmup):
    return torch.linspace(peak / warmup, peak, warmup, dtype=torch.float64)[
        min(step, warmup - 1)
    ].item()
