"""Cosines by einsum, the first of the largest."""

import torch


def read_place(rows, limit):
    table = waves(torch.arange(limit), rows.size(-1)).to(rows.dtype)
    table = table / table.norm(dim=1, keepdim=True)
    return torch.einsum("...d,nd->...n", rows, table).topk(1, dim=-1).indices[..., 0]
