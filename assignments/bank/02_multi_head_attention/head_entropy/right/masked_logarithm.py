"""Clamped logarithm, last heads removed first."""

import math

import torch


def head_entropy(weights, keep=None):
    tiny = torch.finfo(weights.dtype).tiny
    bits = (-weights * weights.clamp(min=tiny).log() / math.log(2)).sum(dim=-1)
    if keep is None:
        keep = torch.ones(bits.shape[0], bits.shape[2], dtype=torch.bool)
    return torch.stack([bits[:, i][keep].mean() for i in range(bits.shape[1])])


def without_one(layer, heads, i):
    c = layer["wq"].shape[1] // heads
    start, stop = i * c, i * c + c
    new = {
        "bo": layer["bo"],
        "wo": torch.cat([layer["wo"][:start], layer["wo"][stop:]]),
    }
    for name in ("wq", "wk", "wv", "bq", "bk", "bv"):
        new[name] = torch.cat(
            [layer[name][..., :start], layer[name][..., stop:]], dim=-1
        )
    return new


def without_heads(layer, heads, drop):
    layer = {name: w.clone() for name, w in layer.items()}
    for n, i in enumerate(sorted(drop, reverse=True)):
        layer = without_one(layer, heads - n, i)
    return layer
