"""Computes in float64 and goes back at the end."""

import torch


def token_prices(logits, labels):
    asked = labels != -100
    log_p = torch.log_softmax(logits[asked].double(), dim=1)
    prices = torch.zeros(labels.shape, dtype=torch.float64)
    prices[asked] = -log_p[torch.arange(len(log_p)), labels[asked]]
    return prices if logits.dtype == torch.float64 else prices.float()
