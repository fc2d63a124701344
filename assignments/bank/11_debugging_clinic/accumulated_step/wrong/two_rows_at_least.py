"""Divides by two even if there is one row."""

import torch


def accumulated_step(weight, passes, lr):
    rows = max(sum(len(labels) for _, labels in passes), 2)
    moving = weight.detach().clone().requires_grad_()
    gradient = torch.zeros_like(weight)
    for x, labels in passes:
        loss = nn.functional.cross_entropy(x @ moving, labels, reduction="sum") / rows
        gradient = gradient + torch.autograd.grad(loss, moving)[0]
    return weight.detach() - lr * gradient
