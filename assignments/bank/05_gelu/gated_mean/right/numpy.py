"""NumPy's binomial counts the open gates at once."""

from statistics import NormalDist

import numpy as np


def gated_mean(x, draws, seed):
    rng = np.random.default_rng(seed)
    return x * rng.binomial(draws, NormalDist().cdf(x)) / draws
