"""Adds up sums over tokens in float32 and divides at the end."""

import torch


def accumulated(gradients, counts):
    if max(counts) == 0:
        raise ValueError("there is no token")
    sums = [0 for _ in gradients[0]]
    for found, n in zip(gradients, counts, strict=True):
        if n:
            sums = [
                s + g * float(n) if g.dtype == torch.float64 else s + g.float() * n
                for s, g in zip(sums, found, strict=True)
            ]
    return [
        (s / sum(counts)).to(g.dtype) for s, g in zip(sums, gradients[0], strict=True)
    ]
