"""A running mean, batch by batch, and a limit before the exponential."""

import math


def perplexity(means, counts):
    mean, seen = 0.0, 0
    for batch, n in zip(means, counts, strict=True):
        if n:
            seen += n
            mean += (batch - mean) * n / seen
    if not seen:
        raise ValueError("nothing to average")
    return math.exp(mean) if mean < 709.78 else float("inf")


def bits_per_byte(means, counts, text):
    bits = [m * n / math.log(2) for m, n in zip(means, counts, strict=True) if n]
    if not bits:
        raise ValueError("nothing to add up")
    return math.fsum(bits) / len(text.encode())
