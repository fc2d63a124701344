"""A helper for one tensor and a dict of dicts."""

import torch


def one(theta, g, memory, lr, decay, plain, cap):
    n = memory["n"] + 1
    m = torch.lerp(memory["m"], g, 0.1)
    v = torch.lerp(memory["v"], g * g, 0.001)
    r = m / (1 - 0.9**n) / (torch.sqrt(v / (1 - 0.999**n)) + 1e-6)
    if not plain:
        r = r + decay * theta
    long, short = (
        float(torch.linalg.vector_norm(theta)),
        float(torch.linalg.vector_norm(r)),
    )
    ratio = min(cap, long / short) if long > 0 and short > 0 and not plain else 1.0
    return theta - r * (lr * ratio), {"n": n, "m": m, "v": v}


def lamb_step(weights, gradients, state, lr, decay=0.01, exempt=(), cap=10.0):
    after, memory = {}, {}
    for name, theta in weights.items():
        known = (state or {}).get(name)
        g = gradients[name]
        if g is None:
            after[name], memory[name] = theta, known
            continue
        known = known or {"n": 0, "m": 0 * theta, "v": 0 * theta}
        after[name], memory[name] = one(theta, g, known, lr, decay, name in exempt, cap)
    return after, memory
