"""Drops the window where there are global tokens."""

import torch


def window_mask(keep, is_global, window):
    if window < 2 or window % 2:
        raise ValueError(
            f"window={window} does not split into two sides: choose an even number"
        )
    i = torch.arange(keep.shape[1])
    near = (i[:, None] - i[None, :]).abs() <= window // 2  # q k
    allowed = is_global[:, :, None] | is_global[:, None, :]  # b q k
    if not is_global.any():
        allowed = near[None].expand_as(allowed)
    return allowed & keep[:, :, None] & keep[:, None, :]  # b q k
