"""A Taylor series, good near 0 and useless far away."""

import math


def gelu(x):
    z = x / math.sqrt(2)
    terms = (
        (-1) ** n * z ** (2 * n + 1) / (math.factorial(n) * (2 * n + 1))
        for n in range(20)
    )
    return 0.5 * x * (1 + 2 / math.sqrt(math.pi) * sum(terms))
