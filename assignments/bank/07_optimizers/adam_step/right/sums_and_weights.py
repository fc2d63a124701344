"""Keeps sums and their weights, so that the correction is a division."""

import torch


def adam_step(
    weight, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=True
):
    w = weight if weight.dtype == torch.float64 else weight.float()
    g = gradient.to(w.dtype) + (0 if decoupled else decay) * w
    first, first_weight, second, second_weight = state or (0, 0.0, 0, 0.0)
    first, first_weight = betas[0] * first + g, betas[0] * first_weight + 1
    second, second_weight = betas[1] * second + g.square(), betas[1] * second_weight + 1
    direction = (first / first_weight) / (torch.sqrt(second / second_weight) + eps)
    shrunk = w - lr * (decay if decoupled else 0) * w
    new = shrunk - lr * direction
    return new.to(weight.dtype), (first, first_weight, second, second_weight)
