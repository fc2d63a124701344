"""Lowers float64 to float32."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    velocity = gradient if velocity is None else momentum * velocity + gradient
    velocity = velocity.float()
    return weight - lr * velocity, velocity
