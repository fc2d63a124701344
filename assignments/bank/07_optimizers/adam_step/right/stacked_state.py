"""One tensor holds both averages."""

import torch


def adam_step(
    weight, gradient, state, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=True
):
    dtype = torch.promote_types(weight.dtype, torch.float32)
    theta = weight.to(dtype)
    g = gradient.to(dtype)
    if decoupled is False:
        g = g + decay * theta
    averages, count = (
        (torch.zeros(2, *g.shape, dtype=dtype), 0) if state is None else state
    )
    beta = torch.tensor(betas, dtype=torch.float64).view(2, *[1] * g.ndim)
    seen = torch.stack([g, g.pow(2)])
    averages = (beta * averages + (1 - beta) * seen).to(dtype)
    hats = (averages / (1 - beta ** (count + 1))).to(dtype)
    update = hats[0] / (hats[1] ** 0.5 + eps) + (decay * theta if decoupled else 0.0)
    return (theta - lr * update).to(weight.dtype), (averages, count + 1)
