"""Mean and projection as products with a matrix."""

import torch


def layer_norm(x, gain, bias, eps=1e-5):
    d = x.shape[-1]
    centring = torch.eye(d, dtype=torch.float64) - 1 / d
    y = x.double() @ centring
    variance = torch.einsum("...d,...d->...", y, y) / d
    return (y / (variance + eps).sqrt()[..., None] * gain.double() + bias.double()).to(
        x.dtype
    )


def rms_norm(x, gain, eps=1e-6):
    y = x.double()
    square = torch.einsum("...d,...d->...", y, y) / x.shape[-1]
    return (y / (square + eps).sqrt().unsqueeze(-1) * gain.double()).to(x.dtype)
