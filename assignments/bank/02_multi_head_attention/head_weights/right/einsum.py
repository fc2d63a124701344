"""Einsum on b t h c, without a transpose."""

import torch


def project(x, layer, name, heads):
    y = torch.einsum("btd,de->bte", x, layer["w" + name]) + layer["b" + name]
    return y.reshape(*y.shape[:2], heads, y.shape[2] // heads)


def head_weights(x, layer, heads, mask=None):
    q, k = project(x, layer, "q", heads), project(x, layer, "k", heads)
    scores = torch.einsum("bqhc,bkhc->bhqk", q * q.shape[-1] ** -0.5, k)
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1)


def multi_head(x, layer, heads, mask=None):
    weights = head_weights(x, layer, heads, mask)
    mixed = torch.einsum("bhqk,bkhc->bqhc", weights, project(x, layer, "v", heads))
    return torch.einsum("bte,ed->btd", mixed.flatten(2), layer["wo"]) + layer["bo"]
