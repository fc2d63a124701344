"""A class for the state, and heads in the batch."""

import math

import torch


class Memory:
    def __init__(self, keys=None, values=None):
        self.keys, self.values = keys, values

    def extended(self, keys, values):
        if self.keys is None:
            return Memory(keys, values)
        return Memory(
            torch.cat([self.keys, keys], 1), torch.cat([self.values, values], 1)
        )

    @property
    def length(self):
        return 0 if self.keys is None else self.keys.shape[1]


def step(weights, heads, ids, state=None, keep=None):
    memory = state or Memory()
    b, new = ids.shape
    past = memory.length
    keep = torch.ones(b, past + new, dtype=torch.long) if keep is None else keep.long()
    positions = torch.cumsum(keep, dim=1)[:, past:] - keep[:, past:]
    x = weights["token"][ids] + weights["position"][positions]

    def by_heads(z):
        return torch.cat(z.chunk(heads, dim=-1), dim=0)  # (h b) t c

    memory = memory.extended(x @ weights["key"], x @ weights["value"])
    q, k, v = map(by_heads, (x @ weights["query"], memory.keys, memory.values))
    scores = torch.bmm(q, k.mT) / math.sqrt(q.shape[-1])
    allowed = visible(new, past, keep).repeat(heads, 1, 1)
    scores = torch.where(allowed, scores, torch.full_like(scores, -1e9))
    mixed = torch.bmm(torch.softmax(scores, dim=-1), v)
    y = x + torch.cat(mixed.chunk(heads, dim=0), dim=-1) @ weights["out"]
    return torch.einsum("bqd,vd->bqv", y, weights["token"]), memory
