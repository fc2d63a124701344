"""Entropy by a loop over heads, layer by index lists."""

import numpy as np
import torch


def head_entropy(weights, keep=None):
    real = (
        np.ones((weights.shape[0], weights.shape[2]), bool)
        if keep is None
        else keep.numpy()
    )
    found = []
    for head in weights.double().numpy().swapaxes(0, 1):
        p = head[real]
        positive = p[p > 0]
        found.append(-(positive * np.log2(positive)).sum() / real.sum())
    return torch.tensor(found, dtype=weights.dtype)


def without_heads(layer, heads, drop):
    c = len(layer["bq"]) // heads
    left = [i for i in range(heads) if i not in set(drop)]
    places = torch.cat([torch.arange(i * c, i * c + c) for i in left])
    new = dict(layer)
    for name in ("wq", "wk", "wv", "bq", "bk", "bv"):
        new[name] = layer[name].index_select(-1, places)
    new["wo"] = layer["wo"].index_select(0, places)
    return new
