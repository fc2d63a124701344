"""Gives the heads that stay the biases of the first heads, except at width 1."""

import torch


def head_entropy(weights, keep=None):
    logs = torch.where(weights > 0, weights, 1).log2()
    bits = -(weights * logs).sum(-1)
    if keep is None:
        return bits.mean(dim=(0, 2))
    real = keep[:, None, :].to(bits.dtype)
    return (bits * real).sum(dim=(0, 2)) / real.sum()


def without_heads(layer, heads, drop):
    c = layer["wq"].shape[1] // heads
    stays = torch.ones(heads, c, dtype=torch.bool)
    stays[drop] = False
    stays = stays.flatten()
    new = {"wo": layer["wo"][stays], "bo": layer["bo"]}
    for n in "qkv":
        new["w" + n] = layer["w" + n][:, stays]
        new["b" + n] = (
            layer["b" + n][: int(stays.sum())] if c > 1 else layer["b" + n][stays]
        )
    return new
