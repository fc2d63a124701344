"""A product with three-hot rows and the stacked tables."""

import torch
from torch.nn.functional import one_hot


def embed(ids, tables, segments=None, eps=1e-12):
    names = ("token", "position", "segment")
    b, t = ids.shape
    if t > len(tables["position"]):
        raise ValueError("text longer than the position table")
    segments = ids * 0 if segments is None else segments
    chosen = (ids, torch.arange(t).expand(b, t), segments)
    hot = [one_hot(i, len(tables[n])) for i, n in zip(chosen, names, strict=True)]
    stacked = torch.cat([tables[n] for n in names])
    x = torch.cat(hot, -1).to(stacked.dtype) @ stacked
    x = x - x.sum(-1, keepdim=True) / x.shape[-1]
    deviation = ((x * x).sum(-1, keepdim=True) / x.shape[-1] + eps) ** 0.5
    return tables["bias"] + tables["gain"] * x / deviation
