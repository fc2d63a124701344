"""Gives a real token its place in the row, so that padding on the left moves it."""

import torch


def place_ids(ids, padding):
    real = ids != padding
    count = torch.arange(1, ids.shape[1] + 1)
    return torch.where(real, count + padding, padding)


def longest_text(rows, padding):
    return rows - 1 - padding
