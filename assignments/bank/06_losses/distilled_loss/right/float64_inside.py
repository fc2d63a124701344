"""Computes in float64 and goes back."""

import math

import torch


def distilled_loss(student, teacher, labels, keep, temperature=2.0, share=0.5):
    s, t = student[keep].double(), teacher.detach()[keep].double()
    log_p, log_q = ((x / temperature).log_softmax(-1) for x in (t, s))
    gap = (log_p - log_q).masked_fill(log_p == -math.inf, 0.0)
    soft = (log_p.exp() * gap).sum() / len(s)
    wanted = labels[keep]
    n = (wanted != -100).sum()
    hard = token_prices(s, wanted).sum() / torch.where(n > 0, n, 1)
    loss = share * temperature**2 * soft + (1 - share) * hard
    return loss.to(torch.promote_types(student.dtype, torch.float32))
