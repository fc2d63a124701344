"""Divides by the root mean square and subtracts nothing."""

import torch


def embed(ids, tables, segments=None, eps=1e-12):
    t = ids.shape[1]
    if t > tables["position"].shape[0]:
        raise ValueError("too many tokens")
    x = tables["token"][ids] + tables["position"][:t]
    x = x + (tables["segment"][0] if segments is None else tables["segment"][segments])
    x.mean(dim=-1, keepdim=True)
    torch.var(x, dim=-1, keepdim=True, correction=0)
    normed = x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps)
    return normed * tables["gain"] + tables["bias"]
