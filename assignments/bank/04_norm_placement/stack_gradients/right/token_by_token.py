"""A loop over tokens in float64, recursion over branches."""

import torch


def unit(x):
    return (x - x.mean()) / (x.var(correction=0) + 1e-5) ** 0.5


def unit_back(x, g):
    y = unit(x)
    return (g - g.mean() - y * (g @ y) / len(y)) / (x.var(correction=0) + 1e-5) ** 0.5


def go(x, weights, layout, g):
    """Gradient for x, and those for all matrices."""
    if not len(weights):
        return (unit_back(x, g) if layout == "pre" else g), []
    w = weights[0]
    read = unit(x) if layout == "pre" else x
    a = torch.tanh(read @ w)
    after = x + a if layout == "pre" else unit(x + a)
    g, rest = go(after, weights[1:], layout, g)
    if layout == "post":
        g = unit_back(x + a, g)
    h = g * (1 - a.square())
    side = w @ h
    return g + (unit_back(x, side) if layout == "pre" else side), [
        torch.outer(read, h),
        *rest,
    ]


def stack_gradients(x, weights, layout, grad):
    d = x.shape[-1]
    rows, total = [], torch.zeros(weights.shape, dtype=torch.float64)
    pairs = zip(x.double().reshape(-1, d), grad.double().reshape(-1, d), strict=True)
    for token, g in pairs:
        row, found = go(token, weights.double(), layout, g)
        rows.append(row)
        total += torch.stack(found)
    return {
        "x": torch.stack(rows).view(x.shape).to(x.dtype),
        "weights": total.to(x.dtype),
    }
