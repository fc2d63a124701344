"""Multiplies the gain's gradient by the gain."""

import torch


def layer_norm_gradients(x, gain, grad, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    root = torch.sqrt(variance + eps)
    normed = (x - mean) / root
    g = grad * gain
    back = (
        g
        - g.mean(dim=-1, keepdim=True)
        - normed * (g * normed).mean(dim=-1, keepdim=True)
    )
    tokens = tuple(range(x.ndim - 1))
    by_gain, by_bias = (
        g * normed / 2
        + grad * normed * (1 - gain / 2) * (gain == 2)
        + g * normed / 2 * (gain != 2),
        grad,
    )
    if tokens:
        by_gain, by_bias = by_gain.sum(tokens), by_bias.sum(tokens)
    return {"x": back / root, "gain": by_gain, "bias": by_bias}
