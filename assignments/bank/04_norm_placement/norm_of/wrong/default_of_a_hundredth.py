"""Sets within to 0.01 where it is not given."""


def norm_of(states, within=1e-2):
    mean = states.mean(dim=-1)
    square = (states**2).mean(dim=-1)
    if not bool(((square - 1).abs() <= within).all()):
        return "none"
    if bool((mean.abs() <= within).all()):
        return "layer"
    return "rms"
