"""Lets the old velocity never fade."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = gradient if velocity is None else velocity + gradient
    return weight - lr * velocity, velocity
