"""Writes rows and columns of global tokens into the band."""

import torch


def window_mask(keep, is_global, window):
    if window < 2 or window & 1:
        raise ValueError(window)
    t = keep.shape[1]
    places = torch.arange(t)
    masks = []
    for real, far in zip(keep, is_global, strict=True):
        mask = (
            torch.cdist(places[:, None].double(), places[:, None].double())
            <= window / 2
        )
        mask[far, :] = True
        mask[:, far] = True
        mask[~real, :] = False
        mask[:, ~real] = False
        masks.append(mask)
    return torch.stack(masks)
