"""Sums and their weights in place of averages."""

import torch


def lamb_step(weights, gradients, state, lr, decay=0.01, exempt=(), cap=10.0):
    state = {} if state is None else state
    out, kept = {}, {}
    for name in weights:
        theta, g = weights[name], gradients[name]
        a, wa, b, wb = state.get(name) or (0.0, 0.0, 0.0, 0.0)
        if g is not None:
            a, wa, b, wb = 0.9 * a + g, 0.9 * wa + 1, 0.999 * b + g**2, 0.999 * wb + 1
            r = (a / wa) / ((b / wb) ** 0.5 + 1e-6)
            ratio = torch.ones((), dtype=theta.dtype)
            if name not in exempt:
                r = r + decay * theta
                p, q = (theta * theta).sum().sqrt(), (r * r).sum().sqrt()
                if p > 0 and q > 0:
                    ratio = torch.clamp(p / q, max=cap)
            theta = theta - lr * ratio * r
        out[name] = theta
        kept[name] = (a, wa, b, wb) if wa else None
    return out, kept
