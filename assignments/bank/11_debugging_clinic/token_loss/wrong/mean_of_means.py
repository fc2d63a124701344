"""Takes the mean of each sequence first."""


def token_loss(logits, labels, keep):
    counts = keep & (labels != -100)  # b t
    wanted = labels.masked_fill(~counts, 0)[..., None]  # b t 1
    losses = -logits.log_softmax(-1).gather(-1, wanted)[..., 0]  # b t
    means = losses.masked_fill(~counts, 0).sum(-1) / counts.sum(-1).clamp(min=1)
    return means.sum() / counts.any(-1).sum().clamp(min=1)
