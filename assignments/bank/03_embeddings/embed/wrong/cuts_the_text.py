"""Cuts off the tokens beyond the table."""

import torch


def embed(ids, tables, segments=None, eps=1e-12):
    t = ids.shape[1]
    t = min(t, len(tables["position"]))
    ids = ids[:, :t]
    x = tables["token"][ids] + tables["position"][:t]
    x = x + (tables["segment"][0] if segments is None else tables["segment"][segments])
    mean = x.mean(dim=-1, keepdim=True)
    variance = torch.var(x, dim=-1, keepdim=True, correction=0)
    normed = (x - mean) / torch.sqrt(variance + eps)
    return normed * tables["gain"] + tables["bias"]
