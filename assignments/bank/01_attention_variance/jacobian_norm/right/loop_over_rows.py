"""One row at a time, as the formula says."""

import torch


def one_row(row):
    p = torch.softmax(row, 0)
    return torch.linalg.norm(torch.diag(p) - torch.outer(p, p))


def jacobian_norm(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    return torch.stack([one_row(row) for row in rows]).reshape(scores.shape[:-1])


def dead_share(scores, below=0.01):
    norms = jacobian_norm(scores).flatten().tolist()
    return sum(norm < below for norm in norms) / len(norms)
