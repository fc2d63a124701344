"""Takes the logarithm to base 2."""

import math

import torch


def token_prices(logits, labels):
    asked = labels != -100
    rows = logits[asked]
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    log_p = rows.log_softmax(-1)
    prices = torch.zeros(labels.shape, dtype=rows.dtype)
    prices[asked] = -(log_p / math.log(2)).gather(-1, labels[asked][:, None])[:, 0]
    return prices
