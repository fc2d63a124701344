"""Replaces the logarithm of 0 by 0, so that a hidden key looks certain."""

import math

import torch


def one_wide_head(weights):
    scores = torch.log(weights).nan_to_num(neginf=0.0).sum(dim=1) / math.sqrt(
        weights.shape[1]
    )
    return torch.softmax(scores, dim=-1)
