"""Adds up in float64."""

import torch


def accumulated_step(weight, passes, lr):
    w = weight.detach().double().requires_grad_()
    losses, rows = 0 * w.sum(), 0
    for x, labels in passes:
        chances = (x.double() @ w).log_softmax(-1)
        losses = losses - chances.gather(1, labels[:, None]).sum()
        rows += len(labels)
    (slope,) = torch.autograd.grad(losses, w)
    return (w - lr * slope / (rows or 1)).detach().to(weight.dtype)
