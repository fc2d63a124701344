"""Returns 1/√c without looking at the scores."""

import torch


def unit_scale(q, k, keep=None):
    return torch.full((q.shape[1],), q.shape[-1] ** -0.5, dtype=q.dtype)
