"""Einsum; keys and values in one tensor."""

import torch


def step(weights, heads, ids, state=None, keep=None):
    b, q = ids.shape
    past = 0 if state is None else state[0].size(2)
    real = torch.ones(b, past + q) if keep is None else keep.float()
    seen = real.cumsum(1) - real
    x = weights["token"][ids] + weights["position"][seen[:, past:].long()]
    query, *pair = (
        torch.einsum("bqd,dhc->bqhc", x, weights[name].unflatten(1, (heads, -1)))
        for name in ("query", "key", "value")
    )
    both = torch.stack(pair)  # 2 b q h c
    if state is not None:
        both = torch.cat([state[0], both], dim=2)
    scores = torch.einsum("bqhc,bkhc->bhqk", query, both[0]) * query.size(-1) ** -0.5
    scores = scores.masked_fill(~visible(q, past, real)[:, None], -torch.inf)
    chances = scores.softmax(-1).nan_to_num()
    mixed = torch.einsum("bhqk,bkhc->bqhc", chances, both[1]).reshape(b, q, -1)
    return (x + mixed @ weights["out"]) @ weights["token"].mT, (both,)
