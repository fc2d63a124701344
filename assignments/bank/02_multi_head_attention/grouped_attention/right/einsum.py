"""Groups as an axis of their own in einsum."""

import torch


def grouped_attention(q, k, v, mask=None):
    b, h, queries, c = q.shape
    n, keys = k.shape[1:3]
    if h % n:
        raise ValueError(f"{h} is not a multiple of {n}")
    q = q.reshape(b, n, h // n, queries, c)
    scores = torch.einsum("bngqc,bnkc->bngqk", q, k) * c**-0.5
    scores = scores.reshape(b, h, queries, keys)
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = scores.softmax(-1).reshape(b, n, h // n, queries, keys)
    return torch.einsum("bngqk,bnkc->bngqc", weights, v).reshape(b, h, queries, c)


def share_keys(w, heads, key_heads):
    c = w.shape[-1] // heads
    x = w.reshape(-1, key_heads, heads // key_heads, c)
    return (
        torch.einsum("ingc->inc", x).div(heads // key_heads).reshape(*w.shape[:-1], -1)
    )


def attention_parameters(d, heads, key_heads, c):
    widths = [heads * c, key_heads * c, key_heads * c]
    return sum((d + 1) * width for width in widths) + (heads * c + 1) * d
