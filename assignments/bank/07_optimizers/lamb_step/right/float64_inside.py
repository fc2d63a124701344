"""Computes in float64 and goes back."""

import math

import torch


def lamb_step(weights, gradients, state, lr, decay=0.01, exempt=(), cap=10.0):
    averages, counts = state if state else ({}, {})
    averages, counts, moved = averages.copy(), counts.copy(), weights.copy()
    for name, g in gradients.items():
        if g is not None:
            w, g = weights[name].double(), g.double()
            m, v = averages.get(name, (torch.zeros_like(w), torch.zeros_like(w)))
            t = counts[name] = counts.get(name, 0) + 1
            m, v = m + 0.1 * (g - m), v + 0.001 * (g * g - v)
            averages[name] = (m, v)
            r = m / (1 - 0.9**t) / (torch.sqrt(v / (1 - 0.999**t)) + 1e-6)
            trust = 1.0
            if name not in exempt:
                r += decay * w
                norms = math.sqrt((w * w).sum().item()), math.sqrt((r * r).sum().item())
                trust = min(norms[0] / norms[1], cap) if all(norms) else 1.0
            moved[name] = (w - lr * trust * r).to(weights[name].dtype)
    return moved, (averages, counts)
