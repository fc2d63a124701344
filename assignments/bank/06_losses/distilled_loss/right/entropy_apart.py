"""Cross-entropy with p minus the teacher's own entropy, by einsum."""

import torch


def distilled_loss(student, teacher, labels, keep, temperature=2.0, share=0.5):
    with torch.no_grad():
        theirs = teacher[keep]
        theirs = (
            theirs.to(torch.promote_types(theirs.dtype, torch.float32)) / temperature
        )
        p = theirs.softmax(-1)
        entropy = torch.special.entr(p).sum(-1)
    ours = student[keep].to(p.dtype)
    cross = -torch.einsum("nv,nv->n", p, (ours / temperature).log_softmax(-1))
    soft = (cross - entropy).mean()
    wanted = labels[keep]
    asked = wanted != -100
    loss = share * temperature**2 * soft
    if asked.any():
        log_p = ours[asked].log_softmax(-1)
        loss = (
            loss - (1 - share) * log_p[torch.arange(len(log_p)), wanted[asked]].mean()
        )
    return loss
