"""Builds the whole schedule and looks it up."""

import math


def learning_rate(update, peak, warmup, total, shape="linear", floor=0.0):
    if shape not in {"constant", "cosine", "linear"}:
        raise ValueError("linear, cosine or constant")
    rates = [peak * u / warmup for u in range(1, warmup + 1)]
    for u in range(1, total - warmup + 1):
        x = u / (total - warmup)
        if shape == "linear":
            rates.append(peak - x * (peak - floor))
        elif shape == "cosine":
            rates.append((peak + floor + (peak - floor) * math.cos(x * math.pi)) / 2)
        else:
            rates.append(peak)
    if update > total:
        return peak if shape == "constant" else floor
    return rates[update - 1]
