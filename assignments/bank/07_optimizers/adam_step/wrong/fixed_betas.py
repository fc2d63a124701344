"""Ignores the betas it is given."""

import torch


def adam_step(
    weight, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=True
):
    betas = (0.9, 0.999)
    dtype = torch.promote_types(weight.dtype, torch.float32)
    theta, g = weight.to(dtype), gradient.to(dtype)
    if not decoupled:
        g = g + decay * theta
    m, v, t = (torch.zeros_like(g), torch.zeros_like(g), 0) if state is None else state
    t += 1
    m = betas[0] * m + (1 - betas[0]) * g
    v = betas[1] * v + (1 - betas[1]) * g**2
    m_hat, v_hat = m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)
    step = m_hat / (v_hat.sqrt() + eps)
    if decoupled:
        step = step + decay * theta
    return (theta - lr * step).to(weight.dtype), (m, v, t)
