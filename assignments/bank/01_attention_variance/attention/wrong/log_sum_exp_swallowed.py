"""Subtracts one log-sum-exp: beside large scores float16 swallows the logarithm."""

import torch


def attention(q, k, v, mask=None):
    scores = q * q.shape[-1] ** -0.5 @ k.transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
        scores = scores.masked_fill(~mask.any(-1, keepdim=True), 0)
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return (weights if mask is None else weights.masked_fill(~mask, 0)) @ v
