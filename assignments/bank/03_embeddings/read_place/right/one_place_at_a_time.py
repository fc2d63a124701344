"""One place at a time, turned by one step each."""

import torch


def read_place(rows, limit):
    rows = rows.double()
    now = waves(torch.tensor(0), rows.shape[-1])
    scores = []
    for _ in range(limit):
        scores.append((rows * now).sum(-1))
        now = turned(now, 1)
    return torch.stack(scores, dim=-1).argmax(-1)
