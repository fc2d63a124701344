"""Gives padding the position 0."""

import torch


def place_ids(ids, padding):
    real = ids != padding
    count = torch.cumsum(real.long(), dim=1)
    return torch.where(real, count + padding, 0)


def longest_text(rows, padding):
    return rows - 1 - padding
