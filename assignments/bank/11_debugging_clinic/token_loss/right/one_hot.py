"""Multiplies with one-hot vectors, in float64."""

import torch


def token_loss(logits, labels, keep):
    counts = (keep & (labels != -100)).double()
    wanted = torch.nn.functional.one_hot(
        labels.where(counts > 0, torch.zeros_like(labels)), logits.shape[-1]
    )
    chances = logits.double().log_softmax(-1)
    total = -(chances * wanted).sum(-1).mul(counts).sum()
    return (total / counts.sum().clamp(min=1)).to(logits.dtype)
