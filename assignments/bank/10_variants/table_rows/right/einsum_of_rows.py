"""Lays the rows of every pair out and contracts."""

import torch


def table_rows(queries, keys, distance):
    steps = torch.arange(queries).unsqueeze(1) - torch.arange(keys)
    return steps.clip(-distance, distance - 1) + distance


def disentangled_scores(q, k, q_r, k_r):
    index = table_rows(q.size(2), k.size(2), q_r.size(1) // 2)
    scores = torch.einsum("bhqc,bhkc->bhqk", q, k)
    scores = scores + torch.einsum("bhqc,hqkc->bhqk", q, k_r[:, index])
    scores = scores + torch.einsum("bhkc,hqkc->bhqk", k, q_r[:, index])
    return scores * (3 * q.size(-1)) ** -0.5
