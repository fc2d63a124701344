"""Replaces the gradients of empty passes by zeros."""

import torch


def accumulated(gradients, counts):
    tokens = sum(counts)
    if tokens < 1:
        raise ValueError(f"{tokens} tokens")
    result = []
    for i in range(len(gradients[0])):
        kind = gradients[0][i].dtype
        high = torch.float64 if kind == torch.float64 else torch.float32
        mean = torch.zeros(gradients[0][i].shape, dtype=high)
        for p in range(len(counts)):
            g = gradients[p][i].to(high)
            mean = mean + (g if counts[p] else torch.zeros_like(g)) * (
                counts[p] / tokens
            )
        result.append(mean.to(kind))
    return result
