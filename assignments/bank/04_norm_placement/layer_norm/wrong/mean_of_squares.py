"""Computes the variance as E[x²] - E[x]² in float32, which cancels near 1,000."""

import torch


def layer_norm(x, gain, bias, eps=1e-5):
    y = x.double() if x.dtype == torch.float64 else x.float()
    mean = y.mean(-1, keepdim=True)
    variance = (y.square().mean(-1, keepdim=True) - mean.square()).clamp(min=0)
    y = (y - mean) / torch.sqrt(variance + eps)
    return (y * gain + bias).to(x.dtype)


def rms_norm(x, gain, eps=1e-6):
    y = x.to(torch.float64)
    square = (y * y).mean(dim=-1, keepdim=True)
    return (y / torch.sqrt(square + eps) * gain).to(x.dtype)
