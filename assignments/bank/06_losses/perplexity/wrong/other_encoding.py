"""Counts the bytes of UTF-16."""

import math


def perplexity(means, counts):
    asked = sum(counts)
    if asked == 0:
        raise ValueError("nothing was asked")
    total = sum(
        mean * count for mean, count in zip(means, counts, strict=True) if count > 0
    )
    try:
        return math.exp(total / asked)
    except OverflowError:
        return math.inf


def bits_per_byte(means, counts, text):
    if sum(counts) == 0:
        raise ValueError("nothing was asked")
    total = sum(
        mean * count for mean, count in zip(means, counts, strict=True) if count > 0
    )
    return total / math.log(2) / len(text.encode("utf-16-le"))
