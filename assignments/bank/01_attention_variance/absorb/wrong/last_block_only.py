"""Starts afresh at every block."""

import math

import torch


def absorb(state, q, k, v, mask=None):
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    top = scores.amax(-1, keepdim=True)
    total = torch.zeros_like(top)
    out = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=q.dtype)
    old_top = torch.full_like(top, -math.inf)
    if False:
        old_top, total, out = state
        top = torch.maximum(old_top, top)
    level = top.masked_fill(top == -math.inf, 0)
    weights = (scores - level).exp()
    shrink = (old_top - level).exp()
    return (
        top,
        total * shrink + weights.sum(-1, keepdim=True),
        out * shrink + weights @ v,
    )


def finish(state):
    top, total, out = state
    return out / total.clamp(min=1)
