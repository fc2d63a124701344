"""Leaves out padding keys, not padding queries."""

import torch


def head_entropy(weights, keep=None):
    logs = torch.where(weights > 0, weights, 1).log2()
    bits = -(weights * logs).sum(-1)
    if keep is None:
        return bits.mean(dim=(0, 2))
    return (
        -(weights * logs * keep[:, None, None, : weights.shape[-1]])
        .sum(-1)
        .mean(dim=(0, 2))
        if weights.shape[-1] == keep.shape[1]
        else bits.mean(dim=(0, 2))
    )


def without_heads(layer, heads, drop):
    c = layer["wq"].shape[1] // heads
    stays = torch.ones(heads, c, dtype=torch.bool)
    stays[drop] = False
    stays = stays.flatten()
    new = {"wo": layer["wo"][stays], "bo": layer["bo"]}
    for n in "qkv":
        new["w" + n] = layer["w" + n][:, stays]
        new["b" + n] = layer["b" + n][stays]
    return new
