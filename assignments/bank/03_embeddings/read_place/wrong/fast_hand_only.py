"""Reads the fastest wave alone, which repeats after six places."""

import torch


def read_place(rows, limit):
    angle = torch.atan2(rows[..., 0], rows[..., 1]) % (2 * torch.pi)
    return angle.round().long().clamp(max=limit - 1)
