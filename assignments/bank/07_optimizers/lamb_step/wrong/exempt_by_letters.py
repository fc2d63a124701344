"""Looks for the exempt names within a name."""

import torch


def lamb_step(weights, gradients, state, lr, decay=0.01, exempt=(), cap=10.0):
    new_weights, new_state = dict(weights), dict(state or {})
    for name, gradient in gradients.items():
        if gradient is None:
            continue
        theta = weights[name]
        zeros = torch.zeros_like(theta)
        m, v, t = new_state.get(name, (zeros, zeros, 0))
        t += 1
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        step = (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)).sqrt() + 1e-6)
        ratio = 1.0
        if not any(entry in name for entry in exempt):
            step = step + decay * theta
            if theta.any() and step.any():
                ratio = min(cap, (theta.norm() / step.norm()).item())
        new_weights[name] = theta - lr * ratio * step
        new_state[name] = m, v, t
    return new_weights, new_state
