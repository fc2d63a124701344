"""Returns zeros where nothing was asked."""

import torch


def accumulated(gradients, counts):
    total = sum(counts)
    if total == 0:
        return [torch.zeros_like(g) for g in gradients[0]]
    asked = [
        (found, n / total) for found, n in zip(gradients, counts, strict=True) if n > 0
    ]
    together = []
    for number, like in enumerate(gradients[0]):
        dtype = torch.promote_types(like.dtype, torch.float32)
        parts = [share * found[number].to(dtype) for found, share in asked]
        together.append(torch.stack(parts).sum(0).to(like.dtype))
    return together
