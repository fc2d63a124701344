"""Expects exactly two axes of positions."""

import torch


def token_prices(logits, labels):
    b, t = labels.shape
    asked = labels != -100
    safe = logits.masked_fill(~asked[..., None], 0.0)
    safe = safe.to(torch.promote_types(safe.dtype, torch.float32))
    picked = safe.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return torch.where(asked, -picked, 0.0)
