"""Forgets the velocity."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = gradient if velocity is None else gradient
    return weight - lr * velocity, velocity
