"""Adds the passes' means up."""

import torch


def accumulated_step(weight, passes, lr):
    moving = weight.detach().clone().requires_grad_()
    gradient = torch.zeros_like(weight)
    for x, labels in passes:
        if not len(labels):
            continue
        loss = nn.functional.cross_entropy(x @ moving, labels)
        gradient = gradient + torch.autograd.grad(loss, moving)[0]
    return weight.detach() - lr * gradient
