"""Asks for less than within, not for no more."""


def norm_of(states, within=1e-3):
    mean = states.mean(dim=-1)
    square = (states**2).mean(dim=-1)
    if not bool(((square - 1).abs() < within).all()):
        return "none"
    if bool((mean.abs() < within).all()):
        return "layer"
    return "rms"
