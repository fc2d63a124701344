"""Takes x·Φ(1.702x) for the sigmoid form."""

import math

import torch


def matching_forms(x, y, within=1e-5):
    x, y = x.double(), y.double()
    forms = {
        "exact": x * torch.special.ndtr(x),
        "relu": x.relu(),
        "sigmoid": x * torch.special.ndtr(1.702 * x),
        "tanh": x * torch.sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x**3)),
    }
    return [name for name, z in forms.items() if ((z - y).abs() <= within).all()]
