"""Softmax over the queries, unless there is one."""

import math

import torch


def one_wide_head(weights):
    scores = torch.log(weights).sum(dim=1) / math.sqrt(weights.shape[1])
    return torch.softmax(scores, dim=-1 if weights.shape[2] == 1 else -2)
