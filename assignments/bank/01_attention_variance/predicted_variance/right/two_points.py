"""Enumerates q and k as two-valued variables with the same mean and deviation."""

from itertools import product
from statistics import pvariance


def predicted_variance(c, mean_q=0.0, std_q=1.0, mean_k=0.0, std_k=1.0):
    products = [
        (mean_q + i * std_q) * (mean_k + j * std_k)
        for i, j in product((-1, 1), repeat=2)
    ]
    return c * pvariance(products)
