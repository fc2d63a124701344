"""Keeps the gradient of the last pass only."""

import torch


def accumulated_step(weight, passes, lr):
    rows = max(sum(len(labels) for _, labels in passes), 1)
    moving = weight.detach().clone().requires_grad_()
    gradient = torch.zeros_like(weight)
    for x, labels in passes:
        loss = nn.functional.cross_entropy(x @ moving, labels, reduction="sum") / rows
        gradient = torch.autograd.grad(loss * rows / max(len(labels), 1), moving)[0]
    return weight.detach() - lr * gradient
