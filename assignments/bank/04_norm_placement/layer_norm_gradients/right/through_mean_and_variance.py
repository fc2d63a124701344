"""The chain rule by way of variance and mean."""

import torch


def layer_norm_gradients(x, gain, grad, eps=1e-5):
    d = x.size(-1)
    mu = x.mean(-1, keepdim=True)
    var = (x - mu).pow(2).mean(-1, keepdim=True)
    inv = (var + eps).rsqrt()
    dxhat = grad * gain
    dvar = (dxhat * (x - mu) * -0.5 * inv**3).sum(-1, keepdim=True)
    dmu = -(dxhat * inv).sum(-1, keepdim=True)
    dx = dxhat * inv + dvar * 2 * (x - mu) / d + dmu / d
    flat = grad.reshape(-1, d)
    return {
        "bias": torch.einsum("td->d", flat),
        "gain": torch.einsum("td,td->d", flat, ((x - mu) * inv).reshape(-1, d)),
        "x": dx,
    }
