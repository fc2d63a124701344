"""Divides each class by the root of its count."""

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
    return sum(
        prices[labels == c].sum() / (labels == c).sum().sqrt() for c in classes
    ) / sum((labels == c).sum().sqrt() for c in classes)
