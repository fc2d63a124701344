"""Puts all sines in front and all cosines behind."""

import torch


def angles(places, d):
    i = torch.arange(d // 2, dtype=torch.float64)
    return torch.as_tensor(places, dtype=torch.float64)[..., None] / 10_000 ** (
        2 * i / d
    )


def waves(places, d):
    if d % 2 != 0:
        raise ValueError("d must be even")
    a = angles(places, d)
    return torch.cat([torch.sin(a), torch.cos(a)], dim=-1)


def turned(rows, steps):
    a = angles(float(steps), rows.shape[-1])
    sine, cosine = rows[..., ::2], rows[..., 1::2]
    up = sine * torch.cos(a) + cosine * torch.sin(a)
    right = cosine * torch.cos(a) - sine * torch.sin(a)
    return torch.stack([up, right], dim=-1).flatten(-2)
