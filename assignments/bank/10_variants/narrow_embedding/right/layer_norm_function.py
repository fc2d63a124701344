"""Uses PyTorch's functions."""

import torch


def narrow_embedding(ids, segments, weights):
    t = ids.shape[1]
    if t > len(weights["position"]):
        raise ValueError("too many tokens")
    x = torch.nn.functional.embedding(
        ids, weights["token"]
    ) + torch.nn.functional.embedding(segments, weights["segment"])
    x = x + torch.nn.functional.embedding(torch.arange(t), weights["position"])
    x = torch.nn.functional.layer_norm(
        x, x.shape[-1:], weights["gain"], weights["shift"], 1e-12
    )
    return torch.nn.functional.linear(x, weights["up"].T, weights["up_bias"])


def narrow_logits(states, weights):
    x = torch.nn.functional.linear(states, weights["down"].T, weights["down_bias"])
    x = torch.nn.functional.gelu(x, approximate="tanh")
    x = torch.nn.functional.layer_norm(
        x, x.shape[-1:], weights["gain"], weights["shift"], 1e-12
    )
    return torch.nn.functional.linear(x, weights["token"], weights["logit_bias"])
