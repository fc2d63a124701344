"""An empty table, filled column by column."""

import math

import torch


def waves(places, d):
    if d & 1:
        raise ValueError(f"{d} is odd")
    out = torch.empty(*places.shape, d, dtype=torch.float64)
    for i in range(d // 2):
        angle = places.to(torch.float64) * math.exp(-math.log(10_000) * 2 * i / d)
        out[..., 2 * i] = angle.sin()
        out[..., 2 * i + 1] = angle.cos()
    return out


def turned(rows, steps):
    out = torch.empty_like(rows)
    d = rows.shape[-1]
    for i in range(d // 2):
        angle = steps * math.exp(-math.log(10_000) * 2 * i / d)
        sine, cosine = rows[..., 2 * i], rows[..., 2 * i + 1]
        out[..., 2 * i] = sine * math.cos(angle) + cosine * math.sin(angle)
        out[..., 2 * i + 1] = cosine * math.cos(angle) - sine * math.sin(angle)
    return out
