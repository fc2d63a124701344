"""The scaled deviation from the growth it should give."""


def stream_variance(layers, d, std, start=1.0):
    return sum([start, *[d * std**2] * (2 * layers)])


def scaled_std(layers, std=0.02):
    whole = stream_variance(1, 1, std, start=0.0) / 2
    return (whole / (2 * layers)) ** 0.5


def warmup_rate(step, peak, warmup):
    share = (step + 1) / warmup
    return peak if share > 1 else peak * share
