"""Averages the weights of a pass, not the passes of a weight."""


def accumulated(gradients, counts):
    total = sum(counts)
    if total == 0:
        raise ValueError("no pass asked for anything")
    asked = [
        (found, n / total) for found, n in zip(gradients, counts, strict=True) if n > 0
    ]
    return [
        sum(share * found[0].flatten()[0] for found, share in asked).expand(g.shape)
        for g in gradients[0]
    ]
