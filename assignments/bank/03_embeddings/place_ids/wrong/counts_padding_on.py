"""Counts padding like a token."""

import torch


def place_ids(ids, padding):
    return torch.arange(1, ids.shape[1] + 1).expand(ids.shape) + padding


def longest_text(rows, padding):
    return rows - 1 - padding
