"""Keeps the ids and computes all keys and values anew."""

import math

import torch


def step(weights, heads, ids, state=None, keep=None):
    new = ids.shape[1]
    if state is not None:
        ids = torch.cat([state[0], ids], dim=1)
    b, length = ids.shape
    real = torch.ones(b, length, dtype=torch.bool) if keep is None else keep.bool()
    places = (real.long().cumsum(-1) - 1).clamp(min=0)
    x = weights["token"][ids] + weights["position"][places]
    q, k, v = (
        (x @ weights[name]).unflatten(-1, (heads, -1)).transpose(1, 2)
        for name in ("query", "key", "value")
    )
    scores = q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1])
    scores = scores.masked_fill(~visible(length, 0, real)[:, None], -1e30)
    mixed = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
    y = x + mixed @ weights["out"]
    return (y @ weights["token"].T)[:, -new:], (ids,)
