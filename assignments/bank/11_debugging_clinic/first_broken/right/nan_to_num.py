"""Tries the softmax."""

import torch


def first_broken(activations):
    for name, x in activations.items():
        if x.dtype.is_floating_point and x.nelement():
            rows = x.double().reshape(-1, x.shape[-1] if x.dim() else 1)
            if torch.isposinf(rows).any() or torch.isnan(rows.softmax(-1)).any():
                return name
    return None
