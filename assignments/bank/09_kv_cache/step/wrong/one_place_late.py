"""Starts positions at 1."""

import math

import torch


def step(weights, heads, ids, state=None, keep=None):
    b, new = ids.shape
    past = 0 if state is None else state[0].shape[2]
    if keep is None:
        keep = torch.ones(b, past + new, dtype=torch.bool)
    places = keep.long().cumsum(-1).clamp(min=0)[:, past:]  # b q
    x = weights["token"][ids] + weights["position"][places]  # b q d
    q, k, v = (
        (x @ weights[name]).unflatten(-1, (heads, -1)).transpose(1, 2)  # b h q c
        for name in ("query", "key", "value")
    )
    if state is not None:
        k, v = (
            torch.cat([state[0], k], dim=2),
            torch.cat([state[1], v], dim=2),
        )  # b h k c
    scores = q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1])  # b h q k
    # The lowest finite number: a row of padding that sees nothing must not become NaN.
    hidden = ~visible(new, past, keep)[:, None]  # b 1 q k
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    mixed = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)  # b q d
    y = x + mixed @ weights["out"]  # b q d
    return y @ weights["token"].T, (k, v)
