"""Counts as a product with a triangle of ones."""

import torch


def place_ids(ids, padding):
    real = (ids - padding != 0).double()
    before = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.float64).triu()
    return (padding + real * (real @ before)).round().long()


def longest_text(rows, padding):
    return rows - (padding + 1)
