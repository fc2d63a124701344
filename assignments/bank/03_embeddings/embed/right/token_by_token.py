"""A loop over tokens with a norm of its own."""

import math

import torch


def norm(x, gain, bias, eps):
    centred = x - x.mean()
    return (
        centred / math.sqrt(float(centred.double().square().mean()) + eps) * gain + bias
    )


def embed(ids, tables, segments=None, eps=1e-12):
    sequences = []
    for i, row in enumerate(ids):
        if len(row) > len(tables["position"]):
            raise ValueError("the position table is too short")
        out = []
        for j, one in enumerate(row):
            kind = 0 if segments is None else segments[i][j]
            x = tables["token"][one] + tables["position"][j] + tables["segment"][kind]
            out.append(norm(x, tables["gain"], tables["bias"], eps))
        sequences.append(torch.stack(out))
    return torch.stack(sequences)
