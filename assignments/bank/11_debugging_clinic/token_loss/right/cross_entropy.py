"""Marks what does not count with −100 and lets PyTorch sum."""

import torch


def token_loss(logits, labels, keep):
    marked = torch.where(keep, labels, -100)
    total = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), marked.flatten(), ignore_index=-100, reduction="sum"
    )
    return total / max(int((marked != -100).sum()), 1)
