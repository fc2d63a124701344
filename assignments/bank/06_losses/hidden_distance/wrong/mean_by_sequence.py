"""Averages each sequence first, then the sequences."""

import torch


def hidden_distance(student, teacher, projection, keep):
    stride, rest = divmod(len(teacher) - 1, len(student) - 1)
    if rest:
        raise ValueError("the teacher's depth is no multiple of the student's")
    dtype = torch.promote_types(student.dtype, torch.float32)
    ours = student[:, keep].to(dtype) @ projection.to(dtype)
    theirs = teacher[::stride, keep].detach().to(dtype)
    each = (ours - theirs).square().mean(-1)
    rows = keep.nonzero()[:, 0]
    return sum(each[:, rows == i].mean(1).sum() for i in rows.unique()) / len(
        rows.unique()
    )
