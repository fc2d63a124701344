"""Puts the passes together again."""

import torch


def accumulated_step(weight, passes, lr):
    x = torch.cat([rows for rows, _ in passes])
    labels = torch.cat([wanted for _, wanted in passes])
    if len(labels) == 0:
        return weight.clone()
    w = weight.detach().clone().requires_grad_(True)
    torch.nn.functional.cross_entropy(x @ w, labels).backward()
    return (w - lr * w.grad).detach()
