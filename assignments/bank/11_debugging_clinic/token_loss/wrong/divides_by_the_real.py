"""Divides by the number of real tokens, asked or not."""


def token_loss(logits, labels, keep):
    counts = keep & (labels != -100)  # b t
    wanted = labels.masked_fill(~counts, 0)[..., None]  # b t 1
    losses = -logits.log_softmax(-1).gather(-1, wanted)[..., 0]  # b t
    return losses.masked_fill(~counts, 0).sum() / keep.sum().clamp(min=1)
