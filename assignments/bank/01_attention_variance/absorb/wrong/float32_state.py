"""Keeps its sums in float32 and gives float32 back."""

import math

import torch


def absorb(state, q, k, v, mask=None):
    scores = (q * q.shape[-1] ** -0.5).float() @ k.float().transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    top = scores.amax(-1, keepdim=True)
    total = torch.zeros_like(top)
    out = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=torch.float32)
    old_top = torch.full_like(top, -math.inf)
    if state is not None:
        old_top, total, out = state
        top = torch.maximum(old_top, top)
    level = top.masked_fill(top == -math.inf, 0)
    weights = (scores - level).exp()
    shrink = (old_top - level).exp()
    return (
        top,
        total * shrink + weights.sum(-1, keepdim=True),
        out * shrink + weights @ v.float(),
    )


def finish(state):
    top, total, out = state
    return out / total.clamp(min=1)
