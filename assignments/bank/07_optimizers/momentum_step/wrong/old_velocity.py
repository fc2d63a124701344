"""Follows the old velocity."""

import torch


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    old = torch.zeros_like(weight) if velocity is None else velocity
    velocity = gradient if velocity is None else momentum * velocity + gradient
    return weight - lr * old, velocity
