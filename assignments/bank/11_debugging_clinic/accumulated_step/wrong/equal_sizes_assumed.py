"""Takes every pass to be as large as the first."""

import torch


def accumulated_step(weight, passes, lr):
    rows = max(len(passes) * len(passes[0][1]), 1)
    moving = weight.detach().clone().requires_grad_()
    gradient = torch.zeros_like(weight)
    for x, labels in passes:
        loss = nn.functional.cross_entropy(x @ moving, labels, reduction="sum") / rows
        gradient = gradient + torch.autograd.grad(loss, moving)[0]
    return weight.detach() - lr * gradient
