"""Both from one price in bits."""

import math


def bits(means, counts):
    asked = [(m, n) for m, n in zip(means, counts, strict=True) if n != 0]
    if len(asked) == 0:
        raise ValueError("no position was asked")
    return sum(m * n for m, n in asked) / math.log(2), sum(n for _, n in asked)


def perplexity(means, counts):
    price, n = bits(means, counts)
    try:
        return 2 ** (price / n)
    except OverflowError:
        return math.inf


def bits_per_byte(means, counts, text):
    price, _ = bits(means, counts)
    return price / sum(1 for _ in text.encode("utf-8"))
