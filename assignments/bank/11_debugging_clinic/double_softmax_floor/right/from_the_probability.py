"""Takes −ln of the softmax by hand."""

import math


def double_softmax_floor(classes):
    weights = [math.exp(1)] + [math.exp(0)] * (classes - 1)
    return -math.log(weights[0] / sum(weights))


def read_losses(losses, classes):
    if any(loss != loss or abs(loss) == math.inf for loss in losses):
        return "broken"
    n = max(1, int(len(losses) / 10))
    end = math.fsum(losses[len(losses) - n :]) / n
    guess = math.log(classes)
    low = double_softmax_floor(classes)
    for name, level in (("guessing", guess), ("softmax twice", low)):
        if 0.97 * level <= end <= 1.03 * level:
            return name
    if end > 1.2 * guess:
        return "rising"
    return "learning"
