"""One query at a time, the scale split between both sides."""

import torch


def one_query(q, k, v, allowed):
    scores = (q[..., None, :] * k).sum(-1)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -torch.inf)
    peak = scores.amax(-1, keepdim=True)
    weights = torch.exp(scores - torch.where(peak.isinf(), 0, peak))
    total = weights.sum(-1, keepdim=True)
    return (weights[..., None] * v).sum(-2) / torch.where(total == 0, 1, total)


def attention(q, k, v, mask=None):
    root = q.shape[-1] ** 0.25
    rows = []
    for i in range(q.shape[-2]):
        allowed = mask if mask is None else mask[..., i if mask.shape[-2] > 1 else 0, :]
        rows.append(one_query(q[..., i, :] / root, k / root, v, allowed))
    return torch.stack(rows, dim=-2)
