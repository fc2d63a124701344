"""Counts from 0 and ignores padding."""

import torch


def place_ids(ids, padding):
    return torch.arange(ids.shape[1]).expand(ids.shape).clone()


def longest_text(rows, padding):
    return rows - 1 - padding
