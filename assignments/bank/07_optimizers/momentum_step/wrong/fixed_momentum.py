"""Always takes 0.9."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = gradient if velocity is None else 0.9 * velocity + gradient
    return weight - lr * velocity, velocity
