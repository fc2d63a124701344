"""Masks with -1e9, which float16 cannot hold."""


def attention(q, k, v, mask=None):
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if mask is None:
        return scores.softmax(-1) @ v
    scores = scores.masked_fill(~mask, -1e9)
    return scores.softmax(-1).masked_fill(~mask, 0) @ v
