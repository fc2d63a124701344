"""Adds 1e-9 inside the logarithm, which swallows smaller weights."""

import math

import torch


def one_wide_head(weights):
    scores = torch.log(weights + 1e-9).sum(dim=1) / math.sqrt(weights.shape[1])
    return torch.softmax(scores, dim=-1)
