"""Counts positions from 1, where there is room."""

import torch


def embed(ids, tables, segments=None, eps=1e-12):
    t = ids.shape[1]
    if t > tables["position"].shape[0]:
        raise ValueError("too many tokens")
    x = tables["token"][ids] + (
        tables["position"][1 : t + 1]
        if t < len(tables["position"])
        else tables["position"]
    )
    x = x + (tables["segment"][0] if segments is None else tables["segment"][segments])
    mean = x.mean(dim=-1, keepdim=True)
    variance = torch.var(x, dim=-1, keepdim=True, correction=0)
    normed = (x - mean) / torch.sqrt(variance + eps)
    return normed * tables["gain"] + tables["bias"]
