"""One branch at a time by recursion, the norm from Part 1."""

import torch


def plain(x):
    return layer_norm(
        x,
        torch.ones_like(x[..., :].reshape(-1, x.shape[-1])[0]),
        torch.zeros_like(x.reshape(-1, x.shape[-1])[0]),
    )


def stream_states(x, weights, layout):
    if layout == "post":
        step = lambda y, w: plain(y + torch.tanh(y @ w))  # noqa: E731
    elif layout == "pre":
        step = lambda y, w: y + torch.tanh(plain(y) @ w)  # noqa: E731
    else:
        raise ValueError(layout)
    if len(weights) == 0:
        return x[None]
    rest = stream_states(step(x, weights[0]), weights[1:], layout)
    return torch.cat([x[None], rest])


def output(x, weights, layout):
    *_, last = stream_states(x, weights, layout)
    return plain(last) if layout == "pre" else last
