"""Takes logsumexp less the right logit, and keeps the levels in a dict."""

import math


def double_softmax_floor(classes):
    return math.log(math.e + classes - 1) - 1


def end_of(losses):
    tail = losses[::-1][: max(len(losses) // 10, 1)]
    return sum(tail) / len(tail)


def read_losses(losses, classes):
    if not math.isfinite(sum(abs(loss) for loss in losses)):
        return "broken"
    end = end_of(losses)
    levels = {
        "guessing": math.log(classes),
        "softmax twice": double_softmax_floor(classes),
    }
    near = [name for name, at in levels.items() if abs(end - at) <= 0.03 * at]
    if near:
        return near[0]
    return "rising" if end > 1.2 * levels["guessing"] else "learning"
