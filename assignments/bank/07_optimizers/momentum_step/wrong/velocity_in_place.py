"""Writes into the velocity it was given."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = gradient if velocity is None else velocity.mul_(momentum).add_(gradient)
    return weight - lr * velocity, velocity
