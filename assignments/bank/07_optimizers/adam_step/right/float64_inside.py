"""Computes in float64 throughout."""

import torch


def adam_step(
    weight, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=True
):
    w, g = weight.double(), gradient.double()
    if not decoupled:
        g = torch.add(g, w, alpha=decay)
    m, v, t = (
        state if state is not None else (torch.zeros_like(w), torch.zeros_like(w), 0)
    )
    m = m + (1 - betas[0]) * (g - m)
    v = v + (1 - betas[1]) * (g * g - v)
    bias = [1 - beta ** (t + 1) for beta in betas]
    w = w * (1 - lr * decay) if decoupled else w
    w = w - lr * (m / bias[0]) / ((v / bias[1]).sqrt() + eps)
    return w.to(weight.dtype), [m, v, t + 1]
