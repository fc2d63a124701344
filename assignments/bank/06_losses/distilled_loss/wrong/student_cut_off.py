"""Cuts the student's gradient off."""

import torch


def distilled_loss(student, teacher, labels, keep, temperature=2.0, share=0.5):
    student, teacher, labels = (
        student[keep].detach(),
        teacher[keep].detach(),
        labels[keep],
    )
    dtype = torch.promote_types(student.dtype, torch.float32)
    student, teacher = student.to(dtype), teacher.to(dtype)
    log_p = (teacher / temperature).log_softmax(-1)
    log_q = (student / temperature).log_softmax(-1)
    p = log_p.exp()
    soft = torch.where(p > 0, p * (log_p - log_q), 0).sum(-1).mean()
    asked = (labels != -100).sum()
    hard = token_prices(student, labels).sum() / asked.clamp(min=1)
    return share * temperature**2 * soft + (1 - share) * hard
