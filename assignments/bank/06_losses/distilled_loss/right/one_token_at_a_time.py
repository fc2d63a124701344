"""A loop over the kept tokens."""

import torch


def distilled_loss(student, teacher, labels, keep, temperature=2.0, share=0.5):
    dtype = torch.float64 if student.dtype == torch.float64 else torch.float32
    soft, hard = [], []
    for i, j in keep.nonzero().tolist():
        x, y = student[i, j].to(dtype), teacher[i, j].detach().to(dtype)
        p = (y / temperature).softmax(0)
        log_q = (x / temperature).log_softmax(0)
        some = p > 0
        soft.append((p[some] * (p[some].log() - log_q[some])).sum())
        if labels[i, j] != -100:
            hard.append(x.logsumexp(0) - x[labels[i, j]])
    loss = share * temperature**2 * torch.stack(soft).mean()
    if hard:
        loss = loss + (1 - share) * torch.stack(hard).mean()
    return loss
