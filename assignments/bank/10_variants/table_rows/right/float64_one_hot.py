"""Selects rows with one-hot vectors, in float64."""

import math

import torch


def table_rows(queries, keys, distance):
    i, j = torch.meshgrid(torch.arange(queries), torch.arange(keys), indexing="ij")
    return torch.minimum(
        torch.maximum(i - j + distance, torch.tensor(0)), torch.tensor(2 * distance - 1)
    )


def disentangled_scores(q, k, q_r, k_r):
    dtype = q.dtype
    q, k, q_r, k_r = (x.double() for x in (q, k, q_r, k_r))
    r = q_r.shape[1]
    chosen = torch.nn.functional.one_hot(table_rows(q.shape[2], k.shape[2], r // 2), r)
    by_row = q @ k_r.transpose(-1, -2)  # b h q r
    by_key = k @ q_r.transpose(-1, -2)  # b h k r
    scores = q @ k.transpose(-1, -2)
    scores = scores + torch.einsum("bhqr,qkr->bhqk", by_row, chosen.double())
    scores = scores + torch.einsum("bhkr,qkr->bhqk", by_key, chosen.double())
    return (scores / math.sqrt(3 * q.shape[-1])).to(dtype)
