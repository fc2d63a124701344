"""Multiplies broken padding by 0."""

import torch


def hidden_distance(student, teacher, projection, keep):
    stride, rest = divmod(len(teacher) - 1, len(student) - 1)
    if rest:
        raise ValueError("the teacher's depth is no multiple of the student's")
    dtype = torch.promote_types(student.dtype, torch.float32)
    ours = student.to(dtype) @ projection.to(dtype)
    theirs = teacher[::stride].detach().to(dtype)
    return ((ours - theirs).square() * keep[None, :, :, None]).sum() / (
        keep.sum() * ours.shape[-1]
    )
