"""Scores with the whole width, the same for all heads."""

import math

import torch


def cut(x, heads):
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def head_weights(x, layer, heads, mask=None):
    q = (x @ layer["wq"] + layer["bq"])[:, None].expand(-1, heads, -1, -1)
    k = (x @ layer["wk"] + layer["bk"])[:, None].expand(-1, heads, -1, -1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.softmax(scores, dim=-1)


def multi_head(x, layer, heads, mask=None):
    v = cut(x @ layer["wv"] + layer["bv"], heads)
    mixed = head_weights(x, layer, heads, mask) @ v
    return mixed.transpose(1, 2).flatten(2) @ layer["wo"] + layer["bo"]
