"""One query head at a time."""

import math

import torch


def grouped_attention(q, k, v, mask=None):
    h, n = q.size(1), k.size(1)
    if h // n * n != h or h < n:
        raise ValueError("uneven groups")
    if mask is not None:
        mask = mask.expand(q.size(0), h, q.size(2), k.size(2))
    out = []
    for i in range(h):
        j = i // (h // n)
        scores = q[:, i] @ k[:, j].mT / math.sqrt(q.size(3))
        if mask is not None:
            scores = scores.masked_fill(mask[:, i].logical_not(), -torch.inf)
        out.append(scores.softmax(2) @ v[:, j])
    return torch.stack(out, 1)


def share_keys(w, heads, key_heads):
    old = torch.stack(w.chunk(heads, dim=-1))
    new = [group.mean(0) for group in old.chunk(key_heads)]
    return torch.cat(new, dim=-1)


def attention_parameters(d, heads, key_heads, c):
    total = 0
    for rows, columns in [
        (d, heads * c),
        (d, key_heads * c),
        (d, key_heads * c),
        (heads * c, d),
    ]:
        total += rows * columns + columns
    return total
