"""Counts in the dict it was given."""

import torch


def adam_step(
    weight, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=True
):
    dtype = torch.promote_types(weight.dtype, torch.float32)
    theta, g = weight.to(dtype), gradient.to(dtype)
    if not decoupled:
        g = g + decay * theta
    if state is None:
        state = {"t": 0, "m": 0, "v": 0}
    state["t"] += 1
    state["m"] = betas[0] * state["m"] + (1 - betas[0]) * g
    state["v"] = betas[1] * state["v"] + (1 - betas[1]) * g**2
    m_hat = state["m"] / (1 - betas[0] ** state["t"])
    v_hat = state["v"] / (1 - betas[1] ** state["t"])
    step = m_hat / (v_hat.sqrt() + eps) + (decay * theta if decoupled else 0)
    return (theta - lr * step).to(weight.dtype), state
