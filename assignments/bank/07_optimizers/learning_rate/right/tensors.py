"""Tensors of float64."""

import math

import torch


def learning_rate(update, peak, warmup, total, shape="linear", floor=0.0):
    if shape == "linear":
        curve = torch.linspace(1, 0, total - warmup + 1, dtype=torch.float64)
    elif shape == "cosine":
        curve = (
            torch.linspace(0, math.pi, total - warmup + 1, dtype=torch.float64).cos()
            / 2
            + 0.5
        )
    elif shape == "constant":
        curve, floor = torch.ones(total - warmup + 1, dtype=torch.float64), peak
    else:
        raise ValueError(f"{shape}?")
    rise = torch.arange(1, warmup + 1, dtype=torch.float64) / max(warmup, 1)
    all_rates = torch.cat([peak * rise, floor + (peak - floor) * curve[1:]])
    return all_rates[update - 1].item() if update <= total else floor
