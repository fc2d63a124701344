"""Compares uniform numbers with Φ(x)."""

import math
import random


def gated_mean(x, draws, seed):
    probability = 0.5 * (1 + math.erf(x / math.sqrt(2)))
    rng = random.Random(seed)
    return sum(x for _ in range(draws) if rng.random() < probability) / draws
