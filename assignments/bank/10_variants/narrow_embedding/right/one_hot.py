"""Looks rows up by products with one-hot vectors."""

import math

import torch


def rows(numbers, table):
    return torch.nn.functional.one_hot(numbers, len(table)).to(table.dtype) @ table


def normalised(x, weights):
    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + 1e-12) * weights["gain"] + weights[
        "shift"
    ]


def narrow_embedding(ids, segments, weights):
    if ids.shape[1] > weights["position"].shape[0]:
        raise ValueError(f"at most {len(weights['position'])} tokens")
    x = rows(ids, weights["token"]) + rows(segments, weights["segment"])
    x = x + rows(torch.arange(ids.shape[1]), weights["position"])
    return (
        torch.einsum("bte,ed->btd", normalised(x, weights), weights["up"])
        + weights["up_bias"]
    )


def narrow_logits(states, weights):
    x = torch.einsum("btd,de->bte", states, weights["down"]) + weights["down_bias"]
    x = x * torch.sigmoid((8 / math.pi) ** 0.5 * (x + 0.044715 * x**3))
    x = normalised(x, weights)
    return torch.einsum("bte,ve->btv", x, weights["token"]) + weights["logit_bias"]
