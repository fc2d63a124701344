"""Sets hidden scores to 0, so that they keep a weight, and then clears nothing."""

import math

import torch


def window_weights(q, k, radius, far, keep=None):
    b, _, t, c = q.shape
    keep = torch.ones(b, t, dtype=torch.bool) if keep is None else keep
    columns = torch.tensor(far, dtype=torch.long)  # g
    near = keep.clone()
    near[:, columns] = False

    j = torch.arange(t)[:, None] + torch.arange(-radius, radius + 1)  # t w
    inside = (j >= 0) & (j < t)
    j = j.clamp(0, t - 1)
    band = torch.einsum("bhtc,bhtwc->bhtw", q, k[:, :, j])
    distant = q @ k[:, :, columns].transpose(-1, -2)  # b h t g
    scores = torch.cat([distant, band], -1) / math.sqrt(c)  # b h t w

    real = keep[:, None, columns].expand(b, t, -1)  # b t g
    allowed = torch.cat([real, inside & near[:, j]], -1)  # b t w
    allowed = (allowed & keep[:, :, None])[:, None]  # b 1 t w
    return (
        scores.masked_fill(~allowed, 0).softmax(-1) * keep[:, None, :, None]
    )  # b h t w
