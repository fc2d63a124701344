"""Copies what it was given and works on the copies."""


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    speed = (
        gradient.clone()
        if velocity is None
        else velocity.clone().mul_(momentum).add_(gradient)
    )
    place = weight.clone()
    place -= lr * speed
    return place, speed
