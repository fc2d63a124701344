"""A weight for every row: one over what its class counts."""

import torch


def pair_labels(a, b):
    step = torch.where(a[:, 0] == b[:, 0], b[:, 1] - a[:, 1], 0)
    order = torch.where(step == 1, 0, torch.where(step == -1, 1, -100))
    return (step != 1).long(), order


def balanced_loss(logits, labels):
    prices = token_prices(logits, labels)
    same = (labels[:, None] == labels) & (labels != -100)
    weights = same.to(prices.dtype).sum(1).reciprocal().nan_to_num(posinf=0.0)
    return (weights * prices).sum() / weights.sum().clamp(min=1)
