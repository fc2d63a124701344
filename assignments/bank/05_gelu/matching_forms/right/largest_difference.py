"""The largest difference decides; NaN is larger than anything."""

import math

import torch


def matching_forms(x, y, within=1e-5):
    x, y = x.double(), y.double()
    forms = {
        "exact": x * torch.special.ndtr(x),
        "relu": x.relu(),
        "sigmoid": x * torch.sigmoid(1.702 * x),
        "tanh": x * torch.sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x**3)),
    }
    worst = {
        name: (z - y).abs().nan_to_num(math.inf).max() for name, z in forms.items()
    }
    return [name for name in sorted(worst) if worst[name] <= within]
