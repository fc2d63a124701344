"""Takes the first sequence's global tokens for all."""

import torch


def window_mask(keep, is_global, window):
    if window < 2 or window % 2:
        raise ValueError(
            f"window={window} does not split into two sides: choose an even number"
        )
    i = torch.arange(keep.shape[1])
    near = (i[:, None] - i[None, :]).abs() <= window // 2  # q k
    allowed = near | is_global[:1, :, None] | is_global[:1, None, :]  # b q k
    return allowed & keep[:, :, None] & keep[:, None, :]  # b q k
