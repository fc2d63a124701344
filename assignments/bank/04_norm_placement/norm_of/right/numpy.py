"""NumPy's allclose without a relative tolerance."""

import numpy as np


def norm_of(states, within=1e-3):
    x = states.numpy().astype(np.float64)
    if not np.allclose(np.mean(x * x, axis=-1), 1.0, rtol=0, atol=within):
        return "none"
    return "layer" if np.allclose(x.mean(-1), 0.0, rtol=0, atol=within) else "rms"
