"""torch.allclose with an absolute tolerance alone."""

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
    return [n for n, z in forms.items() if torch.allclose(y, z, rtol=0, atol=within)]
