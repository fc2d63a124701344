"""Sums by einsum, heads as an axis of their own."""

import torch


def head_entropy(weights, keep=None):
    surprise = torch.where(
        weights == 0, torch.zeros_like(weights), -torch.log2(weights)
    )
    if keep is None:
        keep = torch.ones_like(weights[:, 0, :, 0])
    keep = keep.to(weights.dtype)
    return torch.einsum("bhqk,bhqk,bq->h", weights, surprise, keep) / keep.sum()


def without_heads(layer, heads, drop):
    d = layer["bo"].numel()
    left = sorted(set(range(heads)) - set(drop))
    new = {"bo": layer["bo"].clone()}
    for n in "qkv":
        new[f"w{n}"] = layer[f"w{n}"].view(d, heads, -1)[:, left].reshape(d, -1)
        new[f"b{n}"] = layer[f"b{n}"].view(heads, -1)[left].reshape(-1)
    new["wo"] = layer["wo"].view(heads, -1, d)[left].reshape(-1, d)
    return new
