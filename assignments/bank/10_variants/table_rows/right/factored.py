"""Multiplies the key plus its row with the query, and the row with the key."""

import math

import torch


def table_rows(queries, keys, distance):
    grid = (
        torch.arange(queries)[:, None].repeat(1, keys) - torch.arange(keys) + distance
    )
    grid[grid < 0] = 0
    grid[grid >= 2 * distance] = 2 * distance - 1
    return grid


def disentangled_scores(q, k, q_r, k_r):
    index = table_rows(q.shape[2], k.shape[2], len(q_r[0]) // 2)
    keys = k[:, :, None] + k_r[None, :, index]  # b h q k c
    first = (q[:, :, :, None] * keys).sum(-1)
    second = (k[:, :, None] * q_r[None, :, index]).sum(-1)
    return (first + second) / math.sqrt(q.shape[-1]) / math.sqrt(3)
