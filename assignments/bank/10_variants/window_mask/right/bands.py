"""Cuts a band out of a square of ones."""

import torch


def window_mask(keep, is_global, window):
    if window % 2 or window < 2:
        raise ValueError("an even window, 2 or more")
    t = keep.shape[1]
    square = torch.ones(t, t, dtype=torch.bool)
    band = square.tril(window // 2) & square.triu(-(window // 2))
    far = is_global.unsqueeze(2) + is_global.unsqueeze(1)
    return (band + far) * (keep.unsqueeze(2) * keep.unsqueeze(1))
