"""Lets padding share the position of the last token."""

import torch


def place_ids(ids, padding):
    real = ids != padding
    count = torch.cumsum(real.long(), dim=1)
    return count + padding


def longest_text(rows, padding):
    return rows - 1 - padding
