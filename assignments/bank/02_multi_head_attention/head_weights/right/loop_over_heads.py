"""One head after the other, each through its rows of wo."""

import torch


def one_head(x, layer, own, mask):
    q = x @ layer["wq"][:, own] + layer["bq"][own]
    k = x @ layer["wk"][:, own] + layer["bk"][own]
    scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    return scores.softmax(-1)


def slices(layer, heads):
    c = layer["wq"].shape[1] // heads
    return [slice(i * c, (i + 1) * c) for i in range(heads)]


def head_weights(x, layer, heads, mask=None):
    if mask is not None:
        mask = mask.expand(x.shape[0], heads, x.shape[1], x.shape[1])
    rows = []
    for i, own in enumerate(slices(layer, heads)):
        rows.append(one_head(x, layer, own, None if mask is None else mask[:, i]))
    return torch.stack(rows, dim=1)


def multi_head(x, layer, heads, mask=None):
    weights = head_weights(x, layer, heads, mask)
    out = layer["bo"]
    for i, own in enumerate(slices(layer, heads)):
        v = x @ layer["wv"][:, own] + layer["bv"][own]
        out = out + weights[:, i] @ v @ layer["wo"][own]
    return out
