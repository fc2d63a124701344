"""Collects the scores and values of all blocks: the state grows with the text."""

import math

import torch


def absorb(state, q, k, v, mask=None):
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    if state is None:
        return scores, v
    return torch.cat([state[0], scores], dim=-1), torch.cat([state[1], v], dim=1)


def finish(state):
    return state[0].softmax(-1).nan_to_num() @ state[1]
