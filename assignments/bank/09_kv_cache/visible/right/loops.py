"""Two loops."""

import torch


def visible(new, past=0, keep=None):
    mask = torch.zeros(new, past + new, dtype=torch.bool)
    for i in range(new):
        mask[i, : past + i + 1] = True
    if keep is None:
        return mask
    masks = mask.repeat(keep.shape[0], 1, 1)
    masks[~keep.bool()[:, None, :].expand_as(masks)] = False
    return masks
