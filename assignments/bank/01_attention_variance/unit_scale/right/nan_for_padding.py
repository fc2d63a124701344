"""Marks padding as NaN and uses the mean that skips it."""

import torch


def unit_scale(q, k, keep=None):
    scores = q @ k.transpose(2, 3)
    if keep is not None:
        scores = torch.where(keep[:, None, None], scores, torch.nan)
    scores = scores.permute(1, 0, 2, 3).reshape(q.shape[1], -1)
    centred = scores - scores.nanmean(1, keepdim=True)
    return centred.square().nanmean(1).sqrt().reciprocal()
