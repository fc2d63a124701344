"""A match over the shapes."""

import math


def learning_rate(update, peak, warmup, total, shape="linear", floor=0.0):
    done = 1.0 if update >= total else (update - warmup) / max(total - warmup, 1)
    match shape:
        case "linear":
            after = peak + (floor - peak) * done
        case "cosine":
            after = floor + (peak - floor) * math.cos(math.pi * done / 2) ** 2
        case "constant":
            after = peak
        case _:
            raise ValueError(shape)
    return peak * (update / warmup) if 0 < update <= warmup else after
