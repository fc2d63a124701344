"""Writes into room that all states share."""

import math

import torch


def step(weights, heads, ids, state=None, keep=None):
    b, new = ids.shape
    d = weights["token"].shape[1]
    if state is None:
        room = torch.zeros(2, b, heads, len(weights["position"]), d // heads)
        state = room.to(weights["token"].dtype), torch.tensor(0)
    room, past = state[0], int(state[1])
    real = torch.ones(b, past + new) if keep is None else keep
    places = (real.long().cumsum(-1) - 1).clamp(min=0)[:, past:]
    x = weights["token"][ids] + weights["position"][places]
    q, k, v = (
        (x @ weights[name]).unflatten(-1, (heads, -1)).transpose(1, 2)
        for name in ("query", "key", "value")
    )
    room[0, :, :, past : past + new], room[1, :, :, past : past + new] = k, v
    k, v = room[:, :, :, : past + new]
    scores = q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1])
    scores = scores.masked_fill(~visible(new, past, real)[:, None], -1e30)
    mixed = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
    y = x + mixed @ weights["out"]
    return y @ weights["token"].T, (room, torch.tensor(past + new))
