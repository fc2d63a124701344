"""Reads −100 as label 0 and charges for it."""

import torch


def token_prices(logits, labels):
    high = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return -high.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
