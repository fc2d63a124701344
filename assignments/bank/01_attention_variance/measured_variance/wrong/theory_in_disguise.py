"""Returns the width with a little noise: nothing is measured."""

import random


def measured_variance(c, draws, seed):
    return c * (1 + 0.01 * random.Random(seed).random())
