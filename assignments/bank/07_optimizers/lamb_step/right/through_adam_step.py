"""Part 2 finds the direction: one step of rate 1 from zero."""

import torch


def lamb_step(weights, gradients, state, lr, decay=0.01, exempt=(), cap=10.0):
    weights, state = {**weights}, {**(state or {})}
    for name in [n for n, g in gradients.items() if g is not None]:
        theta, origin = weights[name], torch.zeros_like(weights[name])
        backwards, state[name] = adam_step(
            origin, gradients[name], state.get(name), 1.0, eps=1e-6
        )
        step = -backwards
        if name not in exempt:
            step = step + decay * theta
            if theta.count_nonzero() and step.count_nonzero():
                step = step * min(float(theta.norm()) / float(step.norm()), cap)
        weights[name] = theta - lr * step
    return weights, state
