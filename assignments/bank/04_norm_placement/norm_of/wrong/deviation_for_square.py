"""Compares the root of the mean square, which moves half as fast."""


def norm_of(states, within=1e-3):
    mean = states.mean(dim=-1)
    square = (states**2).mean(dim=-1).sqrt()
    if not bool(((square - 1).abs() <= within / 3).all()):
        return "none"
    if bool((mean.abs() <= within).all()):
        return "layer"
    return "rms"
