"""Computes in float64 and casts at the end."""

import math

import torch


def narrow_embedding(ids, segments, weights):
    dtype = weights["up"].dtype
    w = {name: weight.double() for name, weight in weights.items()}
    if ids.shape[1] > w["position"].shape[0]:
        raise ValueError("more tokens than positions")
    x = w["token"][ids] + w["segment"][segments] + w["position"][None, : ids.shape[1]]
    x = (x - x.mean(-1, keepdim=True)) / (
        x.var(-1, correction=0, keepdim=True) + 1e-12
    ) ** 0.5
    x = x * w["gain"] + w["shift"]
    return (x @ w["up"] + w["up_bias"]).to(dtype)


def narrow_logits(states, weights):
    w = {name: weight.double() for name, weight in weights.items()}
    x = states.double() @ w["down"] + w["down_bias"]
    x = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    x = (x - x.mean(-1, keepdim=True)) / (
        x.var(-1, correction=0, keepdim=True) + 1e-12
    ) ** 0.5
    x = x * w["gain"] + w["shift"]
    return (x @ w["token"].T + w["logit_bias"]).to(states.dtype)
