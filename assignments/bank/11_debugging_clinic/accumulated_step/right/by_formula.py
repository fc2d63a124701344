"""Adds the formula of the gradient up."""

import torch


def accumulated_step(weight, passes, lr):
    total, count = torch.zeros_like(weight), 0
    for x, labels in passes:
        error = torch.softmax(x @ weight, dim=-1)
        error = error - torch.nn.functional.one_hot(labels, weight.shape[1])
        total += x.T @ error
        count += x.shape[0]
    return weight - lr * total / count if count else weight.clone()
