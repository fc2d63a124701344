"""Counts the reasons for a pair to meet, in NumPy."""

import numpy as np
import torch


def window_mask(keep, is_global, window):
    if window % 2 != 0 or window <= 0:
        raise ValueError("no middle")
    real, far = keep.numpy().astype(int), is_global.numpy().astype(int)
    i = np.arange(real.shape[1])
    reasons = (np.abs(np.subtract.outer(i, i)) <= window // 2).astype(int)[None]
    reasons = reasons + far[:, :, None] + far[:, None, :]
    return torch.from_numpy((reasons > 0) & (real[:, :, None] * real[:, None, :] == 1))
