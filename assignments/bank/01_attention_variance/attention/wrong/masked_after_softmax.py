"""Sets weights to 0 after the softmax: they no longer sum to 1."""


def attention(q, k, v, mask=None):
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if mask is None:
        return scores.softmax(-1) @ v
    return scores.softmax(-1).masked_fill(~mask, 0) @ v
