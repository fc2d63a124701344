"""Puts the learning rate into the velocity."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = lr * gradient + (0 if velocity is None else momentum * velocity)
    return weight - velocity, velocity
