"""Gives every row one more key with value 0 and lets only empty rows see it."""

import torch


def attention(q, k, v, mask=None):
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand_as(scores)
    mask = torch.cat([mask, ~mask.any(-1, keepdim=True)], dim=-1)
    scores = torch.nn.functional.pad(scores, (0, 1)).masked_fill(~mask, -torch.inf)
    return scores.softmax(-1)[..., :-1] @ v
