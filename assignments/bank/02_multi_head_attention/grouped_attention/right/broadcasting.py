"""A group axis of size 1 in keys and values, in float64."""

import torch


def grouped_attention(q, k, v, mask=None):
    heads, key_heads = q.shape[1], k.shape[1]
    if heads % key_heads != 0:
        raise ValueError("groups of unequal size")
    Q = q.double().unflatten(1, (key_heads, heads // key_heads))
    scores = Q @ k.double()[:, :, None].mT / q.shape[-1] ** 0.5
    if mask is not None:
        wide = mask.expand(q.shape[0], heads, q.shape[2], k.shape[2])
        scores = scores.masked_fill(~wide.unflatten(1, (key_heads, -1)), -1e300)
    return (scores.softmax(-1) @ v.double()[:, :, None]).flatten(1, 2).to(q.dtype)


def share_keys(w, heads, key_heads):
    c = w.shape[-1] // heads
    mixer = torch.zeros(heads, c, key_heads, c, dtype=torch.float64)
    for i in range(heads):
        for j in range(c):
            mixer[i, j, i * key_heads // heads, j] = key_heads / heads
    return (w.double() @ mixer.view(heads * c, key_heads * c)).to(w.dtype)


def attention_parameters(d, heads, key_heads, c):
    return 2 * c * (heads + key_heads) * d + c * (heads + 2 * key_heads) + d
