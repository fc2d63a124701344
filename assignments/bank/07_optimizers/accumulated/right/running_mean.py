"""A running mean, pass by pass."""


def accumulated(gradients, counts):
    seen, means = 0, None
    for found, n in zip(gradients, counts, strict=True):
        if n == 0:
            continue
        seen += n
        high = [g.double() for g in found]
        if means is None:
            means = high
        else:
            means = [m + (g - m) * (n / seen) for m, g in zip(means, high, strict=True)]
    if means is None:
        raise ValueError("nothing was asked")
    return [m.to(g.dtype) for m, g in zip(means, gradients[0], strict=True)]
