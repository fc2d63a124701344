"""Gives padding the label 0."""


def token_loss(logits, labels, keep):
    labels = labels.masked_fill(~keep, 0)
    counts = labels != -100
    wanted = labels.masked_fill(~counts, 0)[..., None]  # b t 1
    losses = -logits.log_softmax(-1).gather(-1, wanted)[..., 0]  # b t
    return losses.masked_fill(~counts, 0).sum() / counts.sum().clamp(min=1)
