"""Forgets the residual path."""

import torch


def normed(x):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-5)


def norm_back(x, g):
    root = torch.sqrt(x.var(dim=-1, correction=0, keepdim=True) + 1e-5)
    y = normed(x)
    return (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) / root


def forward(x, weights, layout):
    states = [x]
    for w in weights:
        x = (
            normed(x + torch.tanh(x @ w))
            if layout == "post"
            else x + torch.tanh(normed(x) @ w)
        )
        states.append(x)
    return states


def stack_gradients(x, weights, layout, grad):
    d = x.shape[-1]
    states = forward(x, weights, layout)
    g = norm_back(states[-1], grad) if layout == "pre" else grad
    by_weights = []
    for i in range(len(weights) - 1, -1, -1):
        inner = normed(states[i]) if layout == "pre" else states[i]
        a = torch.tanh(inner @ weights[i])
        if layout == "post":
            g = norm_back(states[i] + a, g)
        slope = 1 - a**2
        back = g * slope
        by_weights.insert(0, inner.reshape(-1, d).T @ back.reshape(-1, d))
        back = back @ weights[i].T
        if layout == "pre":
            back = norm_back(states[i], back)
        g = back
    return {"x": g, "weights": torch.stack(by_weights)}
