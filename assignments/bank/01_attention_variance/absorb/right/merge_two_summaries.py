"""A block becomes a summary of its own, and two summaries are merged."""

import torch


def summary(q, k, v, mask):
    scores = (q * q.shape[-1] ** -0.5) @ k.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    top = scores.max(dim=-1, keepdim=True).values
    weights = torch.exp(scores - top.clamp(min=torch.finfo(q.dtype).min))
    return top, weights.sum(dim=-1, keepdim=True), weights @ v


def merge(a, b):
    top = torch.maximum(a[0], b[0])
    level = top.clamp(min=torch.finfo(top.dtype).min)
    fa, fb = torch.exp(a[0] - level), torch.exp(b[0] - level)
    return top, fa * a[1] + fb * b[1], fa * a[2] + fb * b[2]


def absorb(state, q, k, v, mask=None):
    block = summary(q, k, v, mask)
    return block if state is None else merge(state, block)


def finish(state):
    return state[2] / (state[1] + (state[1] == 0))
