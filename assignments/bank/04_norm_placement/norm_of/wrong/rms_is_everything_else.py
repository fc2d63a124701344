"""Calls RMSNorm whatever is no LayerNorm, unless the numbers are large."""


def norm_of(states, within=1e-3):
    mean = states.mean(dim=-1)
    square = (states**2).mean(dim=-1)
    if bool((square > 2).any()):
        return "none"
    if bool((mean.abs() <= within).all()):
        return "layer"
    return "rms"
