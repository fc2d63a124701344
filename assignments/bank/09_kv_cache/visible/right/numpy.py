"""NumPy."""

import numpy as np
import torch


def visible(new, past=0, keep=None):
    mask = np.subtract.outer(np.arange(past, past + new), np.arange(past + new)) >= 0
    if keep is not None:
        mask = mask[None] & (keep.numpy()[:, None, :] > 0)
    return torch.from_numpy(mask)
