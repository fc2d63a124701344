"""Adds the tokens up in a loop."""

import torch


def token_loss(logits, labels, keep):
    total, count = (0 * logits).sum(), 0
    for row, wanted, real in zip(logits, labels, keep, strict=True):
        for z, label, counts in zip(row, wanted.tolist(), real.tolist(), strict=True):
            if counts and label != -100:
                total = total + torch.logsumexp(z, 0) - z[label]
                count += 1
    return total / count if count else total
