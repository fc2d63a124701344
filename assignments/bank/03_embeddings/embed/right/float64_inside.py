"""In float64, cast back at the end."""

import torch


def embed(ids, tables, segments=None, eps=1e-12):
    T = {name: table.double() for name, table in tables.items()}
    if ids.size(1) > T["position"].size(0):
        raise ValueError("no position left")
    if segments is None:
        segments = torch.zeros(ids.shape, dtype=torch.long)
    x = T["token"][ids] + T["position"][None, : ids.size(1)] + T["segment"][segments]
    x = x - x.mean(2, keepdim=True)
    x = x * torch.rsqrt(x.pow(2).mean(2, keepdim=True) + eps)
    return (x * T["gain"] + T["bias"]).to(tables["token"].dtype)
