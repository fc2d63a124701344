"""Writes zeros into the logits it was given."""

import torch


def token_prices(logits, labels):
    asked = labels != -100
    with torch.no_grad():
        logits[~asked] = 0.0
    high = logits.to(torch.promote_types(logits.dtype, torch.float32))
    picked = high.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return torch.where(asked, -picked, 0.0)
