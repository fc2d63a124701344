"""Keeps the step as velocity, with its sign and learning rate."""

import torch


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    if velocity is None:
        velocity = torch.zeros_like(weight)
    velocity = momentum * velocity - lr * gradient
    return weight + velocity, velocity
