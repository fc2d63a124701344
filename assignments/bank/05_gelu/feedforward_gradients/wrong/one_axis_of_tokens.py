"""Expects x to have exactly one axis before the last."""

import math

import torch


def feedforward_gradients(x, w1, b1, w2, b2, grad):
    hidden = x @ w1 + b1
    gate = 0.5 * (1 + torch.erf(hidden / math.sqrt(2)))
    slope = gate + hidden * torch.exp(-(hidden**2) / 2) / math.sqrt(2 * math.pi)
    back = grad @ w2.T * slope

    def over_tokens(left, right):
        return left.mT @ right

    return {
        "x": back @ w1.T,
        "w1": over_tokens(x, back),
        "b1": back.sum(0),
        "w2": over_tokens(hidden * gate, grad),
        "b2": grad.sum(0),
    }
