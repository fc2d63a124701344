"""Counts along the batch instead of along the tokens, where there is more than one sequence."""

import torch


def place_ids(ids, padding):
    real = ids != padding
    count = torch.cumsum(real.long(), dim=1 if len(ids) == 1 else 0)
    return torch.where(real, count + padding, padding)


def longest_text(rows, padding):
    return rows - 1 - padding
