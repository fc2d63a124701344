"""Key heads picked by index."""

import torch


def grouped_attention(q, k, v, mask=None):
    h, n = q.shape[1], k.shape[1]
    if h % n:
        raise ValueError("h must be a multiple of n")
    reads = torch.arange(h) // (h // n)
    scores = torch.matmul(q / q.shape[-1] ** 0.5, k[:, reads].transpose(2, 3))
    allowed = (
        torch.ones_like(scores, dtype=torch.bool)
        if mask is None
        else mask.expand_as(scores)
    )
    scores = torch.where(allowed, scores, torch.finfo(q.dtype).min)
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    return (powers / powers.sum(-1, keepdim=True)) @ v[:, reads]


def share_keys(w, heads, key_heads):
    c, group = w.shape[-1] // heads, heads // key_heads
    total = torch.zeros_like(w[..., : key_heads * c])
    for i in range(heads):
        place = (i // group) * c
        total[..., place : place + c] += w[..., i * c : (i + 1) * c] / group
    return total


def attention_parameters(d, heads, key_heads, c):
    matrices = d * c * (heads + 2 * key_heads + heads)
    biases = c * (heads + 2 * key_heads) + d
    return matrices + biases
