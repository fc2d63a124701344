"""Moves the weight it was given."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = gradient if velocity is None else momentum * velocity + gradient
    weight -= lr * velocity
    return weight, velocity
