"""A copy of reserved room in every step."""

import math

import torch


def step(weights, heads, ids, state=None, keep=None):
    (b, new), table = ids.shape, weights["token"]
    n, c = len(weights["position"]), table.shape[1] // heads
    room, past = (table.new_zeros(2, b, heads, n, c), 0) if state is None else state
    room = room.clone()
    end = past + new
    real = torch.ones(b, end) if keep is None else keep
    places = (real.long().cumsum(-1) - 1).clamp(min=0)[:, past:]
    x = table[ids] + weights["position"][places]
    for slot, name in enumerate(("key", "value")):
        room[slot, :, :, past:end] = (
            (x @ weights[name]).view(b, new, heads, c).transpose(1, 2)
        )
    q = (x @ weights["query"]).view(b, new, heads, c).transpose(1, 2)
    scores = (q / math.sqrt(c)) @ room[0, :, :, :end].mT
    scores = scores + torch.where(visible(new, past, real), 0.0, -1e30)[:, None]
    mixed = scores.softmax(-1).to(table.dtype) @ room[1, :, :, :end]
    y = x + mixed.transpose(1, 2).flatten(2) @ weights["out"]
    return y @ table.T, (room, end)
