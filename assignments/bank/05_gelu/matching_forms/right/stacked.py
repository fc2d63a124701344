"""All forms stacked into one tensor."""

import math

import torch

NAMES = ["exact", "relu", "sigmoid", "tanh"]


def matching_forms(x, y, within=1e-5):
    x = x.reshape(-1).double()
    made = torch.stack(
        [
            x * (1 + torch.erf(x / math.sqrt(2))) / 2,
            torch.clamp(x, min=0),
            x * torch.sigmoid(1.702 * x),
            x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        ]
    )
    fits = ((made - y.reshape(-1).double()).abs() <= within).all(dim=1)
    return [name for name, fit in zip(NAMES, fits.tolist(), strict=True) if fit]
