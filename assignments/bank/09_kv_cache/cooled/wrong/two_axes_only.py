"""Subtracts the largest logit of all rows."""

import torch


def cooled(logits, temperature=1.0):
    if temperature < 0:
        raise ValueError(f"temperature={temperature}: 0 or more")
    if temperature == 0:
        best = logits.argmax(-1, keepdim=True)  # ... 1
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    # The largest becomes 0 before the division, so nothing overflows to +∞.
    return ((logits - logits.amax()) / temperature).softmax(-1)


def kept(probabilities, k=None, p=None):
    ordered, index = probabilities.sort(dim=-1, descending=True, stable=True)  # b v
    if k is not None:
        ordered = ordered.masked_fill(torch.arange(ordered.shape[-1]) >= k, 0)
        ordered = ordered / ordered.sum(-1, keepdim=True)
    if p is not None:
        before = ordered.cumsum(-1) - ordered
        ordered = ordered.masked_fill(before >= p, 0)
        ordered = ordered / ordered.sum(-1, keepdim=True)
    return torch.zeros_like(probabilities).scatter(-1, index, ordered)


def pick(probabilities, u):
    reached = probabilities.cumsum(-1) > u[:, None]  # b v
    last = (
        probabilities.shape[-1] - 1 - (probabilities > 0).flip(-1).long().argmax(-1)
    )  # b
    # A token without a stretch does not move the sum, so the first to pass u has one.
    return torch.where(reached.any(-1), reached.long().argmax(-1), last)
