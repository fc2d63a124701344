"""Allows 5 %."""

import math


def double_softmax_floor(classes):
    return math.log(1 + (classes - 1) / math.e)


def read_losses(losses, classes):
    if not all(math.isfinite(loss) for loss in losses):
        return "broken"
    last = losses[-max(len(losses) // 10, 1) :]
    end = sum(last) / len(last)
    guess, floor = math.log(classes), double_softmax_floor(classes)
    if abs(end - guess) <= 0.05 * guess:
        return "guessing"
    if abs(end - floor) <= 0.05 * floor:
        return "softmax twice"
    return "rising" if end > 1.2 * guess else "learning"
