"""One product for all three, no bias for the keys: it moves all scores of a row alike."""

import torch


def projections(x, layer, heads):
    w = torch.cat([layer["wq"], layer["wk"], layer["wv"]], dim=1)
    q, k, v = (x @ w).chunk(3, dim=-1)
    shape = (*x.shape[:2], heads, -1)
    return [
        y.reshape(shape).movedim(2, 1) for y in (q + layer["bq"], k, v + layer["bv"])
    ]


def head_weights(x, layer, heads, mask=None):
    q, k, _ = projections(x, layer, heads)
    scores = q @ k.movedim(-1, -2) / torch.tensor(float(q.shape[-1])).sqrt().to(q.dtype)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e30)
    return torch.nn.functional.softmax(scores, -1)


def multi_head(x, layer, heads, mask=None):
    *_, v = projections(x, layer, heads)
    mixed = torch.matmul(head_weights(x, layer, heads, mask), v).movedim(1, 2)
    return torch.nn.functional.linear(mixed.flatten(2), layer["wo"].T, layer["bo"])
