"""Keeps a dict, and folds both corrections into the rate."""

import torch


def adam_step(
    weight, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=True
):
    high = torch.float64 if weight.dtype == torch.float64 else torch.float32
    w, g = weight.to(high), gradient.to(high)
    g = g if decoupled else g + decay * w
    old = state or {"step": 0, "mean": 0.0 * g, "square": 0.0 * g}
    n = old["step"] + 1
    mean = torch.lerp(g, old["mean"], betas[0])
    square = betas[1] * old["square"] + (1 - betas[1]) * g * g
    root = (square / (1 - betas[1] ** n)).sqrt()
    move = lr / (1 - betas[0] ** n) * mean / (root + eps)
    if decoupled:
        move = move + lr * decay * w
    return (w - move).to(weight.dtype), {"step": n, "mean": mean, "square": square}
