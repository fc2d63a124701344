"""NumPy from the first draw to the last."""

import numpy as np


def measured_variance(c, draws, seed):
    rng = np.random.default_rng(seed)
    return np.sum(
        rng.normal(size=(draws, c)) * rng.normal(size=(draws, c)), axis=1
    ).var()
