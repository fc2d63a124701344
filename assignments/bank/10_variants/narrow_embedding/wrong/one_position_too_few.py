"""Refuses a text that just fits."""

import torch


def narrow_embedding(ids, segments, weights):
    tokens, rows = ids.shape[1], weights["position"].shape[0]
    if tokens >= rows:
        raise ValueError(f"{tokens} tokens, but there are positions for {rows}")
    x = weights["token"][ids] + weights["segment"][segments]  # b t e
    x = x + weights["position"][:tokens]  # b t e
    x = x - x.mean(-1, keepdim=True)  # b t e
    x = x / (x.pow(2).mean(-1, keepdim=True) + 1e-12).sqrt()  # b t e
    x = x * weights["gain"] + weights["shift"]  # b t e
    return x @ weights["up"] + weights["up_bias"]  # b t d


def narrow_logits(states, weights):
    x = states @ weights["down"] + weights["down_bias"]  # b t e
    x = torch.nn.functional.gelu(x, approximate="tanh")  # b t e
    x = x - x.mean(-1, keepdim=True)  # b t e
    x = x / (x.pow(2).mean(-1, keepdim=True) + 1e-12).sqrt()  # b t e
    x = x * weights["gain"] + weights["shift"]  # b t e
    return x @ weights["token"].T + weights["logit_bias"]  # b t v
