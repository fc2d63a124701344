"""The block is walked key by key."""

import math

import torch


def absorb(state, q, k, v, mask=None):
    if state is None:
        b, length, _ = q.shape
        best = torch.full((b, length), -math.inf, dtype=q.dtype)
        state = (
            best,
            torch.zeros_like(best),
            torch.zeros(b, length, v.shape[-1], dtype=q.dtype),
        )
    best, norm, acc = state
    mask = None if mask is None else mask.expand(*q.shape[:2], k.shape[1])
    for j in range(k.shape[1]):
        score = (q * k[:, j : j + 1]).sum(-1) / math.sqrt(q.shape[-1])
        if mask is not None:
            score = score.masked_fill(~mask[:, :, j], -math.inf)
        new = torch.maximum(best, score)
        shift = torch.where(new == -math.inf, torch.zeros_like(new), new)
        keep, weight = torch.exp(best - shift), torch.exp(score - shift)
        norm = norm * keep + weight
        acc = acc * keep[..., None] + weight[..., None] * v[:, j : j + 1]
        best = new
    return best, norm, acc


def finish(state):
    _, norm, acc = state
    return torch.where(norm[..., None] > 0, acc / norm[..., None].clamp(min=1e-6), 0)
