"""NumPy's weighted average."""

import numpy as np


def average(means, counts):
    weights = np.array(counts, dtype=float)
    if not weights.any():
        raise ValueError("no weights")
    return float(
        np.average(np.nan_to_num(np.array(means, dtype=float)), weights=weights)
    )


def perplexity(means, counts):
    with np.errstate(over="ignore"):
        return float(np.exp(average(means, counts)))


def bits_per_byte(means, counts, text):
    return average(means, counts) * sum(counts) / np.log(2) / len(text.encode("utf8"))
