"""Forgets that a mean may lie below 0."""


def norm_of(states, within=1e-3):
    mean = states.mean(dim=-1)
    square = (states**2).mean(dim=-1)
    if not bool(((square - 1).abs() <= within).all()):
        return "none"
    if bool((mean <= within).all()):
        return "layer"
    return "rms"
