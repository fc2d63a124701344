"""Forgets that state 0 is the embedding."""

import torch


def hidden_distance(student, teacher, projection, keep):
    if (len(teacher) - 1) % (len(student) - 1):
        raise ValueError("no multiple")
    dtype = torch.promote_types(student.dtype, torch.float32)
    stride = len(teacher) // len(student)
    ours = student[:, keep].to(dtype) @ projection.to(dtype)
    theirs = teacher[::stride][: len(student), keep].detach().to(dtype)
    return (ours - theirs).square().mean((1, 2)).sum()
