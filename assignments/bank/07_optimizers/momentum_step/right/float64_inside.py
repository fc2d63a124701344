"""Computes in float64 and goes back."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    u = gradient.double()
    if velocity is not None:
        u = u + momentum * velocity.double()
    moved = weight.double() - lr * u
    return moved.to(weight.dtype), u.to(weight.dtype)
