"""Uses NumPy."""

import numpy as np


def double_softmax_floor(classes):
    z = np.eye(classes)[0]
    return float(np.log(np.exp(z).sum()) - z[0])


def read_losses(losses, classes):
    values = np.asarray(losses, dtype=float)
    if not np.isfinite(values).all():
        return "broken"
    end = values[len(values) - max(len(values) // 10, 1) :].mean()
    guess, low = np.log(classes), double_softmax_floor(classes)
    if np.abs(end - guess) <= 0.03 * guess:
        return "guessing"
    if np.abs(end - low) <= 0.03 * low:
        return "softmax twice"
    return "rising" if end > 1.2 * guess else "learning"
