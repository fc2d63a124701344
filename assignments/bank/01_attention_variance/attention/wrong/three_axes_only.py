"""Expects exactly one axis before the last two."""

import math

import torch


def attention(q, k, v, mask=None):
    flat = q.ndim == 2
    if flat:
        q, k, v = q[None], k[None], v[None]
    scores = torch.einsum("bqc,bkc->bqk", q * q.shape[-1] ** -0.5, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
        scores = scores.masked_fill(~mask.any(-1, keepdim=True), 0)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    out = torch.einsum("bqk,bkd->bqd", weights, v)
    return out[0] if flat else out
