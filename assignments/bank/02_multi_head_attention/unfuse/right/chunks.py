"""Chunks of chunks, joined."""

import torch


def unfuse(w, heads, by_head=False):
    if by_head:
        heads_apart = [piece.chunk(3, dim=-1) for piece in w.chunk(heads, dim=-1)]
        return tuple(torch.cat(same, dim=-1) for same in zip(*heads_apart, strict=True))
    return tuple(w.chunk(3, dim=-1))
