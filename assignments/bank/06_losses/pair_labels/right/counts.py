"""Sums and counts by class, with scatter_add."""

import torch


def pair_labels(a, b):
    before = (a + torch.tensor([0, 1]) == b).all(1)
    after = (b + torch.tensor([0, 1]) == a).all(1)
    order = torch.full((len(a),), -100).masked_fill(before, 0).masked_fill(after, 1)
    return 1 - before.long(), order


def balanced_loss(logits, labels):
    prices = token_prices(logits, labels)
    asked = labels >= 0
    place = labels[asked]
    zeros = prices.new_zeros(logits.shape[-1])
    sums = zeros.scatter_add(0, place, prices[asked])
    counts = zeros.scatter_add(0, place, torch.ones_like(prices[asked]))
    return (sums / counts.clamp(min=1)).sum() / (counts > 0).sum().clamp(min=1)
