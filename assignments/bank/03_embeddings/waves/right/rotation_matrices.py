"""A matrix of blocks that turns all pairs at once."""

import math

import torch


def waves(places, d):
    if d % 2 == 1:
        raise ValueError("pairs need an even width")
    pace = torch.logspace(0, -4 * (d - 2) / d, d // 2, dtype=torch.float64)
    angle = torch.einsum("...,i->...i", places.double(), pace)
    return torch.cat([angle.sin()[..., None], angle.cos()[..., None]], -1).reshape(
        *places.shape, d
    )


def turned(rows, steps):
    d = rows.shape[-1]
    blocks = []
    for i in range(d // 2):
        s, c = (f(steps / 10_000 ** (2 * i / d)) for f in (math.sin, math.cos))
        blocks.append(torch.tensor([[c, -s], [s, c]], dtype=torch.float64))
    return rows @ torch.block_diag(*blocks)
