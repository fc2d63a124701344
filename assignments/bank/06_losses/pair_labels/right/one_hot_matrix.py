"""A matrix of rows and classes, without earlier parts."""

import torch


def pair_labels(a, b):
    same, step = a[:, 0].eq(b[:, 0]), b[:, 1].sub(a[:, 1])
    nsp = torch.ones(len(a), dtype=torch.long)
    nsp[same & step.eq(1)] = 0
    sop = torch.where(same & (step.abs() == 1), (1 - step) // 2, -100)
    return nsp, sop


def balanced_loss(logits, labels):
    asked = labels != -100
    log_p = (
        logits[asked]
        .to(torch.promote_types(logits.dtype, torch.float32))
        .log_softmax(-1)
    )
    one_hot = (labels[asked][:, None] == torch.arange(logits.shape[-1])).to(log_p.dtype)
    counts = one_hot.sum(0)
    occurs = counts > 0
    if not occurs.any():
        return -log_p.sum()
    means = (
        -(torch.where(one_hot > 0, log_p, 0.0) * one_hot).sum(0)[occurs]
        / counts[occurs]
    )
    return means.mean()
