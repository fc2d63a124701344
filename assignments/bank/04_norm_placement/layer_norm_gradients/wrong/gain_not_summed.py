"""Keeps the gradients of gain and bias for every token."""

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
    by_gain, by_bias = grad * normed, grad
    return {"x": back / root, "gain": by_gain, "bias": by_bias}
