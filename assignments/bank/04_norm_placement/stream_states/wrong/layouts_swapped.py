"""Swaps the two layouts."""

import torch


def norm(x):
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + 1e-5)


def stream_states(x, weights, layout):
    if layout not in ("post", "pre"):
        raise ValueError("the layout is post or pre")
    states = [x]
    for w in weights:
        if layout == "pre":
            x = norm(x + torch.tanh(x @ w))
        else:
            x = x + torch.tanh(norm(x) @ w)
        states.append(x)
    return torch.stack(states)


def output(x, weights, layout):
    end = stream_states(x, weights, layout)[-1]
    return norm(end) if layout == "pre" else end
