"""Branch by branch."""


def stream_variance(layers, d, std, start=1.0):
    total = start
    for _ in range(layers):
        for _branch in ("attention", "feed-forward"):
            total += d * std * std
    return total


def scaled_std(layers, std=0.02):
    branches = layers + layers
    return std * branches**-0.5


def warmup_rate(step, peak, warmup):
    return min(peak, peak / warmup * (step + 1))
