"""Normalises the three rows one by one and adds them."""

import torch


def embed(ids, tables, segments=None, eps=1e-12):
    t = ids.shape[1]
    if t > tables["position"].shape[0]:
        raise ValueError("too many tokens")
    if segments is None:
        segments = torch.zeros_like(ids)
    normed = 0
    for x in (
        tables["token"][ids],
        tables["position"][:t],
        tables["segment"][segments],
    ):
        variance = torch.var(x, dim=-1, keepdim=True, correction=0)
        normed = normed + (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(
            variance + eps
        )
    return normed * tables["gain"] + tables["bias"]
