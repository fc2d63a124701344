"""Takes the logits for log-probabilities."""

import torch


def token_prices(logits, labels):
    asked = labels != -100
    rows = logits[asked]
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    log_p = rows
    prices = torch.zeros(labels.shape, dtype=rows.dtype)
    prices[asked] = -log_p.gather(-1, labels[asked][:, None])[:, 0]
    return prices
