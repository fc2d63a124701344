"""Half precision in float32, everything else as it comes."""

import torch


def widen(x):
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def layer_norm(x, gain, bias, eps=1e-5):
    y = widen(x)
    y = y - y.mean(dim=-1, keepdim=True)
    y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps)
    return torch.addcmul(widen(bias), y, widen(gain)).to(x.dtype)


def rms_norm(x, gain, eps=1e-6):
    y = widen(x)
    y = y * torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + eps)
    return (y * widen(gain)).to(x.dtype)
