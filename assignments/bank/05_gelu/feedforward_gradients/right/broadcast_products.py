"""Broadcast products summed over all tokens."""

import math

import torch


def gelu_and_slope(h):
    gate = torch.special.ndtr(h)
    return h * gate, gate + h * torch.exp(-h.square() / 2) * (2 * math.pi) ** -0.5


def sum_tokens(z, keep):
    return z.sum(tuple(range(z.ndim - keep))) if z.ndim > keep else z


def feedforward_gradients(x, w1, b1, w2, b2, grad):
    act, slope = gelu_and_slope(x @ w1 + b1)
    back = (grad @ w2.transpose(0, 1)) * slope
    return {
        "x": back @ w1.transpose(0, 1),
        "w1": sum_tokens(x[..., :, None] * back[..., None, :], 2),
        "b1": sum_tokens(back, 1),
        "w2": sum_tokens(act[..., :, None] * grad[..., None, :], 2),
        "b2": sum_tokens(grad, 1),
    }
