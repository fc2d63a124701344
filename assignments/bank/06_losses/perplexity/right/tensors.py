"""Tensors in float64, whose exponential overflows to infinity."""

import math

import torch


def total_price(means, counts):
    n = torch.tensor(counts, dtype=torch.float64)
    if n.sum() == 0:
        raise ValueError("there is no position")
    return (torch.tensor(means, dtype=torch.float64)[n > 0] * n[n > 0]).sum(), n.sum()


def perplexity(means, counts):
    total, n = total_price(means, counts)
    return torch.exp(total / n).item()


def bits_per_byte(means, counts, text):
    total, _ = total_price(means, counts)
    return (total / math.log(2) / len(bytes(text, "utf-8"))).item()
