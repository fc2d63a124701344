"""Adds a small number inside the logarithm, so that no price is large."""

import torch


def token_prices(logits, labels):
    asked = labels != -100
    rows = logits[asked]
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    log_p = (rows.softmax(-1) + 1e-12).log()
    prices = torch.zeros(labels.shape, dtype=rows.dtype)
    prices[asked] = -log_p.gather(-1, labels[asked][:, None])[:, 0]
    return prices
