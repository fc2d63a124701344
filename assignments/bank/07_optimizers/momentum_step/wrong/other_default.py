"""Has another default."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.95):
    velocity = gradient if velocity is None else momentum * velocity + gradient
    return weight - lr * velocity, velocity
