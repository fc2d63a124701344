"""Asks every pair in a loop."""

import torch


def window_mask(keep, is_global, window):
    if window not in range(2, window + 1, 2):
        raise ValueError("window has to be even and at least 2")
    b, t = keep.shape
    out = torch.zeros(b, t, t, dtype=torch.bool)
    for s in range(b):
        for i in range(t):
            for j in range(t):
                if keep[s, i] and keep[s, j]:
                    far = is_global[s, i] or is_global[s, j]
                    out[s, i, j] = bool(far) or abs(i - j) * 2 <= window
    return out
