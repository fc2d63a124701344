"""Keeps all axes and puts zeros where nothing is kept."""

import torch


def distilled_loss(student, teacher, labels, keep, temperature=2.0, share=0.5):
    dtype = torch.promote_types(student.dtype, torch.float32)
    ours = student.masked_fill(~keep[..., None], 0).to(dtype)
    theirs = teacher.detach().masked_fill(~keep[..., None], 0).to(dtype)
    p = torch.softmax(theirs / temperature, dim=2)
    log_q = torch.log_softmax(ours / temperature, dim=2)
    divergence = (torch.special.xlogy(p, p) - p * log_q).sum(2) * keep
    soft = divergence.sum() / keep.sum()
    prices = token_prices(ours, labels)
    hard = prices.sum() / max(int((labels >= 0).sum()), 1)
    return share * soft * temperature * temperature + hard - share * hard
