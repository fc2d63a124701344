"""Keeps all tokens that equal the k-th."""

import torch


def cooled(logits, temperature=1.0):
    if temperature < 0:
        raise ValueError(f"temperature={temperature}: 0 or more")
    if temperature == 0:
        best = logits.argmax(-1, keepdim=True)  # ... 1
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    # The largest becomes 0 before the division, so nothing overflows to +∞.
    return ((logits - logits.amax(-1, keepdim=True)) / temperature).softmax(-1)


def kept(probabilities, k=None, p=None):
    if k is not None:
        kth = probabilities.topk(min(k, probabilities.shape[-1])).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < kth, 0)
        probabilities = probabilities / probabilities.sum(-1, keepdim=True)
    if p is not None:
        ordered, index = torch.sort(probabilities, dim=-1, descending=True, stable=True)
        drop = (ordered.cumsum(-1) - ordered >= p).scatter(
            -1, index, ordered.cumsum(-1) - ordered >= p
        )
        probabilities = probabilities.masked_fill(drop, 0)
        probabilities = probabilities / probabilities.sum(-1, keepdim=True)
    return probabilities


def pick(probabilities, u):
    reached = probabilities.cumsum(-1) > u[:, None]  # b v
    last = (
        probabilities.shape[-1] - 1 - (probabilities > 0).flip(-1).long().argmax(-1)
    )  # b
    # A token without a stretch does not move the sum, so the first to pass u has one.
    return torch.where(reached.any(-1), reached.long().argmax(-1), last)
