"""Computes in float64 with a list of layers."""

import torch


def hidden_distance(student, teacher, projection, keep):
    depth, taught = len(teacher) - 1, len(student) - 1
    layers = [i * depth // taught for i in range(taught + 1)]
    if depth % taught:
        raise ValueError("uneven")
    with torch.no_grad():
        wanted = teacher[layers][:, keep].double()
    off = torch.matmul(student[:, keep].double(), projection.double()) - wanted
    loss = off.pow(2).flatten(1).mean(1).sum()
    return loss if student.dtype == torch.float64 else loss.float()
