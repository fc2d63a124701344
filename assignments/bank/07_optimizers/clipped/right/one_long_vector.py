"""Puts all numbers into one vector of float64."""

import torch


def clipped(gradients, limit):
    flat = [g.to(torch.float64).reshape(-1) for g in gradients if g is not None]
    norm = torch.linalg.vector_norm(torch.cat(flat)) if flat else torch.tensor(0.0)
    if not torch.isfinite(norm):
        return None, norm.item()
    out = []
    for g in gradients:
        if g is None or norm <= limit:
            out.append(g)
        else:
            out.append((g.double() / norm * limit).to(g.dtype))
    return out, norm.item()
