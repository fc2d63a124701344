"""Adds the segment's row into the position table itself."""

import torch


def embed(ids, tables, segments=None, eps=1e-12):
    t = ids.shape[1]
    if t > tables["position"].shape[0]:
        raise ValueError("too many tokens")
    x = tables["token"][ids]
    x += tables["position"][:t]
    x += tables["segment"][0] if segments is None else tables["segment"][segments]
    tables["token"][ids[0, 0]] = x[0, 0]
    mean = x.mean(dim=-1, keepdim=True)
    variance = torch.var(x, dim=-1, keepdim=True, correction=0)
    normed = (x - mean) / torch.sqrt(variance + eps)
    return normed * tables["gain"] + tables["bias"]
