"""Takes windows that have no middle."""

import torch


def window_mask(keep, is_global, window):
    i = torch.arange(keep.shape[1])
    near = (i[:, None] - i[None, :]).abs() <= window // 2  # q k
    allowed = near | is_global[:, :, None] | is_global[:, None, :]  # b q k
    return allowed & keep[:, :, None] & keep[:, None, :]  # b q k
