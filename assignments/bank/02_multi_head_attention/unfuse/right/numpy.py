"""Cut by NumPy, in float64, which holds every smaller dtype exactly."""

import numpy as np
import torch


def unfuse(w, heads, by_head=False):
    a = w.double().numpy()
    if by_head:
        a = np.concatenate(
            [
                np.split(piece, 3, axis=-1)[i]
                for i in range(3)
                for piece in np.split(a, heads, axis=-1)
            ],
            axis=-1,
        )
    return tuple(
        torch.from_numpy(p.copy()).to(w.dtype) for p in np.split(a, 3, axis=-1)
    )
