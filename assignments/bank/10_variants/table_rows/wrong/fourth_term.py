"""Adds position with position."""

import math

import torch


def table_rows(queries, keys, distance):
    i = torch.arange(queries)[:, None]
    j = torch.arange(keys)[None, :]
    return (i - j + distance).clamp(0, 2 * distance - 1)  # q k


def disentangled_scores(q, k, q_r, k_r):
    rows = table_rows(q.shape[2], k.shape[2], q_r.shape[1] // 2)  # q k
    c2c = q @ k.transpose(-1, -2)  # b h q k
    rows = rows.expand_as(c2c)  # b h q k
    c2p = (q @ k_r.transpose(-1, -2)).gather(-1, rows)  # b h q k
    p2c = (q_r @ k.transpose(-1, -2)).gather(-2, rows)  # b h q k
    p2p = (q_r * k_r).sum(-1)[
        :, table_rows(q.shape[2], k.shape[2], q_r.shape[1] // 2)
    ]  # h q k
    return (c2c + c2p + p2c + p2p) / math.sqrt(3 * q.shape[-1])  # b h q k
