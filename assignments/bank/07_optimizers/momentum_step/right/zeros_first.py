"""Starts from a velocity of zeros."""

import torch


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    if velocity is None:
        velocity = torch.zeros_like(weight)
    velocity = torch.add(gradient, velocity, alpha=momentum)
    return torch.sub(weight, velocity, alpha=lr), velocity
