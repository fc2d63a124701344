"""Takes exponentials of raw logits."""


def token_loss(logits, labels, keep):
    counts = keep & (labels != -100)  # b t
    wanted = labels.masked_fill(~counts, 0)[..., None]  # b t 1
    losses = (
        -(logits.exp() / logits.exp().sum(-1, keepdim=True))
        .log()
        .gather(-1, wanted)[..., 0]
    )  # b t
    return losses.masked_fill(~counts, 0).sum() / counts.sum().clamp(min=1)
