"""Ranks of the tokens in place of sorting back."""

import torch


def cooled(logits, temperature=1.0):
    if temperature < 0:
        raise ValueError
    gap = logits - logits.amax(-1, keepdim=True)  # 0 or less
    if temperature == 0:
        first = (gap == 0).cumsum(-1) == 1
        return (first & (gap == 0)).to(logits.dtype)
    return torch.log_softmax(gap / temperature, dim=-1).exp()


def kept(probabilities, k=None, p=None):
    order = probabilities.argsort(dim=-1, descending=True, stable=True)
    rank = order.argsort(dim=-1)
    if k is not None:
        probabilities = torch.where(rank < k, probabilities, 0)
        probabilities = probabilities / probabilities.sum(-1, keepdim=True)
    if p is not None:
        before = (
            rank[:, None, :] < rank[:, :, None]
        )  # b v v: the second goes before the first
        sums = (before * probabilities[:, None, :]).sum(-1)
        probabilities = torch.where(sums < p, probabilities, 0)
        probabilities = probabilities / probabilities.sum(-1, keepdim=True)
    return probabilities


def pick(probabilities, u):
    ends = probabilities.cumsum(-1)
    starts = ends - probabilities
    on_it = (ends > u[:, None]) & (probabilities > 0)
    ids = torch.arange(probabilities.shape[-1])
    first = torch.where(on_it, ids, len(ids)).amin(-1)
    last = torch.where(probabilities > 0, ids, -1).amax(-1)
    assert starts.shape == ends.shape
    return torch.minimum(first, last)
