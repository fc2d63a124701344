"""Adds to the gradients of the first pass."""

import torch


def accumulated(gradients, counts):
    total = sum(counts)
    if total == 0:
        raise ValueError("no pass asked for anything")
    first = [g if n else torch.zeros_like(g) for n in counts[:1] for g in gradients[0]]
    for g in first:
        g.mul_(counts[0] / total)
    for found, n in zip(gradients[1:], counts[1:], strict=True):
        if n:
            for g, more in zip(first, found, strict=True):
                g.add_(more * (n / total))
    return first
