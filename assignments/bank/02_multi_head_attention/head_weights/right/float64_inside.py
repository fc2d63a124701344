"""In float64, cast back at the end."""

import torch


def cut(x, heads):
    return torch.stack(x.chunk(heads, -1), 1)


def head_weights(x, layer, heads, mask=None):
    X = x.double()
    q, k = (
        cut(X @ layer[f"w{n}"].double() + layer[f"b{n}"].double(), heads) for n in "qk"
    )
    logits = (q @ k.mT) * (q.size(-1) ** -0.5)
    if mask is not None:
        logits = logits + torch.zeros(mask.shape).double().masked_fill(
            ~mask, -torch.inf
        )
    peak = logits.amax(-1, keepdim=True)
    powers = (logits - peak).exp()
    return (powers / powers.sum(-1, keepdim=True)).to(x.dtype)


def multi_head(x, layer, heads, mask=None):
    v = cut(x.double() @ layer["wv"].double() + layer["bv"].double(), heads)
    out = torch.cat((head_weights(x, layer, heads, mask).double() @ v).unbind(1), -1)
    return (out @ layer["wo"].double() + layer["bo"].double()).to(x.dtype)
