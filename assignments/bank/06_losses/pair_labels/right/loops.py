"""A loop over the pairs and one over the classes."""

import torch


def pair_labels(a, b):
    following, order = [], []
    for (document, place), (other, where) in zip(a.tolist(), b.tolist(), strict=True):
        distance = where - place if document == other else None
        following.append(int(distance != 1))
        order.append({1: 0, -1: 1}.get(distance, -100))
    return torch.tensor(following), torch.tensor(order)


def balanced_loss(logits, labels):
    prices = token_prices(logits, labels)
    total, classes = 0 * prices.sum(), 0
    for c in range(logits.shape[-1]):
        rows = (labels == c).nonzero()[:, 0]
        if len(rows):
            total, classes = total + prices[rows].mean(), classes + 1
    return total / max(classes, 1)
