"""NumPy's arithmetic."""

import numpy as np
import torch


def momentum_step(weight, gradient, velocity, lr, momentum=0.9):
    old = np.zeros_like(weight.numpy()) if velocity is None else velocity.numpy()
    u = np.asarray(momentum * old + gradient.numpy(), dtype=old.dtype)
    return torch.from_numpy(
        np.asarray(weight.numpy() - lr * u, dtype=u.dtype)
    ), torch.from_numpy(u)
