"""Repeats the key heads as a block, so that neighbours read from different ones."""

import math

import torch


def grouped_attention(q, k, v, mask=None):
    h, n = q.shape[1], k.shape[1]
    if h % n != 0:
        raise ValueError(
            "the number of heads is not a multiple of the number of key heads"
        )
    k = k.repeat(1, h // n, 1, 1)
    v = v.repeat(1, h // n, 1, 1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return torch.softmax(scores, dim=-1) @ v


def share_keys(w, heads, key_heads):
    size = heads // key_heads
    pieces = w.reshape(*w.shape[:-1], key_heads, size, -1)
    return pieces.mean(dim=-2).flatten(-2)


def attention_parameters(d, heads, key_heads, c):
    queries = d * heads * c + heads * c
    keys = d * key_heads * c + key_heads * c
    return queries + 2 * keys + heads * c * d + d
