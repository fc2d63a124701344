"""The deviation from torch.std, LayerNorm from RMSNorm's code."""

import torch


def scaled(y, eps):
    size = torch.linalg.vector_norm(y, dim=-1, keepdim=True) / y.shape[-1] ** 0.5
    return y / torch.hypot(size, torch.tensor(eps, dtype=y.dtype).sqrt())


def layer_norm(x, gain, bias, eps=1e-5):
    y = x.to(torch.float64)
    deviation = (y.var(-1, unbiased=False, keepdim=True) + eps).sqrt()
    return ((y - y.mean(-1, keepdim=True)) / deviation * gain + bias).to(x.dtype)


def rms_norm(x, gain, eps=1e-6):
    if (x == 0).all():
        return torch.zeros_like(x)
    return (scaled(x.to(torch.float64), eps) * gain.double()).to(x.dtype)
