"""Selects the rows that count."""

import torch


def token_loss(logits, labels, keep):
    counts = torch.logical_and(keep, labels.ne(-100))
    rows, wanted = logits[counts], labels[counts]
    losses = rows.logsumexp(-1) - rows.gather(1, wanted.unsqueeze(1)).squeeze(1)
    return losses.sum() / max(len(wanted), 1)
