"""Takes 1 for the id of padding, whatever it is."""

import torch


def place_ids(ids, padding):
    real = ids != 1
    count = torch.cumsum(real.long(), dim=1)
    return torch.where(real, count + padding, padding)


def longest_text(rows, padding):
    return rows - 1 - padding
