"""Computes in float32 and does not go back to the dtype of q."""

import math


def attention(q, k, v, mask=None):
    q, k, v = q.float(), k.float(), v.float()
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is None:
        return scores.softmax(-1) @ v
    scores = scores.masked_fill(~mask, -math.inf)
    scores = scores.masked_fill(~mask.any(-1, keepdim=True), 0)
    return scores.softmax(-1).masked_fill(~mask, 0) @ v
