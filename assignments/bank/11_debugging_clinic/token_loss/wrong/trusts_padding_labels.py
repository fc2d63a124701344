"""Trusts that the label of padding is −100."""


def token_loss(logits, labels, keep):
    counts = labels != -100  # b t
    wanted = labels.clamp(0, logits.shape[-1] - 1)[..., None]  # b t 1
    losses = -logits.log_softmax(-1).gather(-1, wanted)[..., 0]  # b t
    return losses.masked_fill(~counts, 0).sum() / counts.sum().clamp(min=1)
