"""Adds up what the heads write, with the output's bias in each."""

import math

import torch


def cut(x, heads):
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def head_weights(x, layer, heads, mask=None):
    q = cut(x @ layer["wq"] + layer["bq"], heads)
    k = cut(x @ layer["wk"] + layer["bk"], heads)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.softmax(scores, dim=-1)


def multi_head(x, layer, heads, mask=None):
    v = cut(x @ layer["wv"] + layer["bv"], heads)
    mixed = head_weights(x, layer, heads, mask) @ v
    return mixed.transpose(1, 2).flatten(2) @ layer["wo"] + heads * layer["bo"]
