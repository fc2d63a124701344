"""Through NumPy and back."""

import numpy as np
import torch


def unit_scale(q, k, keep=None):
    scores = np.einsum("bhqc,bhkc->hqbk", q.numpy(), k.numpy())
    if keep is not None:
        scores = scores[:, :, keep.numpy()]
    return torch.from_numpy(1 / scores.reshape(len(scores), -1).std(axis=1))
