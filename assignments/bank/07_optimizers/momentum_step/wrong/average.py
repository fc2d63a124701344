"""Averages gradients where momentum adds them."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = (1 - momentum) * gradient + (
        0 if velocity is None else momentum * velocity
    )
    return weight - lr * velocity, velocity
