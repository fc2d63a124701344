"""Starts at 2, whatever padding is."""

import torch


def place_ids(ids, padding):
    real = ids != padding
    count = torch.cumsum(real.long(), dim=1)
    return torch.where(real, count + 1, padding)


def longest_text(rows, padding):
    return rows - 1 - padding
