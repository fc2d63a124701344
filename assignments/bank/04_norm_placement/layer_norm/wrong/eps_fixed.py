"""Uses 1e-5, whatever eps is."""

import torch


def layer_norm(x, gain, bias, eps=1e-5):
    y = x.to(torch.float64)
    variance, mean = torch.var_mean(y, dim=-1, correction=0, keepdim=True)
    y = (y - mean) / torch.sqrt(variance + 1e-5)
    return (y * gain + bias).to(x.dtype)


def rms_norm(x, gain, eps=1e-6):
    y = x.to(torch.float64)
    square = (y * y).mean(dim=-1, keepdim=True)
    return (y / torch.sqrt(square + eps) * gain).to(x.dtype)
