"""Divides by all classes, also by those that do not occur."""

import torch


def pair_labels(a, b):
    together = a[:, 0] == b[:, 0]
    ahead = b[:, 1] - a[:, 1]
    follows, swapped = together & (ahead == 1), together & (ahead == -1)
    order = torch.full(follows.shape, -100)
    order[follows], order[swapped] = 0, 1
    return (~follows).long(), order


def balanced_loss(logits, labels):
    prices = token_prices(logits, labels)
    classes = labels[labels != -100].unique()
    if len(classes) == 0:
        return prices.sum()
    return (
        torch.stack([prices[labels == c].mean() for c in classes]).sum()
        / logits.shape[-1]
    )
