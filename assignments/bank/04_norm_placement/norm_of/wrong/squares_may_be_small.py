"""Forgets that a mean square may lie below 1."""


def norm_of(states, within=1e-3):
    mean = states.mean(dim=-1)
    square = (states**2).mean(dim=-1)
    if not bool((square - 1 <= within).all()):
        return "none"
    if bool((mean.abs() <= within).all()):
        return "layer"
    return "rms"
