"""The closed form in float64, cast back at the end."""

import torch


def jacobian_norm(scores):
    p = torch.softmax(scores.double(), dim=-1)
    second, third = (p**2).sum(-1), (p**3).sum(-1)
    return torch.relu(second - 2 * third + second**2).sqrt().to(scores.dtype)


def dead_share(scores, below=0.01):
    dead = jacobian_norm(scores.double()) < below
    return dead.sum().item() / dead.numel()
