"""One head at a time, kept scores picked with a boolean mask."""

import torch


def unit_scale(q, k, keep=None):
    scales = []
    for head in range(q.size(1)):
        s = q[:, head] @ k[:, head].mT
        if keep is not None:
            s = s.masked_select(keep.unsqueeze(1))
        scales.append(1 / torch.sqrt(torch.mean((s - s.mean()) ** 2)))
    return torch.stack(scales)
