"""The Jacobian of every token, multiplied."""

import torch


def layer_norm_gradients(x, gain, grad, eps=1e-5):
    d = x.shape[-1]
    rows, ups = x.double().reshape(-1, d), grad.double().reshape(-1, d)
    centring = torch.eye(d, dtype=torch.float64) - 1 / d
    total, by_x = torch.zeros(d, dtype=torch.float64), []
    for row, up in zip(rows, ups, strict=True):
        centred = centring @ row
        root = (centred @ centred / d + eps) ** 0.5
        jacobian = centring / root - torch.outer(centred, centred) / (d * root**3)
        by_x.append(jacobian.T @ (up * gain))
        total += up * centred / root
    found = {"x": torch.stack(by_x).view(x.shape), "gain": total, "bias": ups.sum(0)}
    return {name: value.to(x.dtype) for name, value in found.items()}
