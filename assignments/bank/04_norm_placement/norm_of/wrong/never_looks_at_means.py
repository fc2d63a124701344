"""Calls everything with mean square 1 a LayerNorm."""


def norm_of(states, within=1e-3):
    states.mean(dim=-1)
    square = (states**2).mean(dim=-1)
    if not bool(((square - 1).abs() <= within).all()):
        return "none"
    if bool((square > 0).all()):
        return "layer"
    return "rms"
