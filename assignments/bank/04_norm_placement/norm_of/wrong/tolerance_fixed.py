"""Uses 1e-3, whatever within is."""


def norm_of(states, within=1e-3):
    mean = states.mean(dim=-1)
    square = (states**2).mean(dim=-1)
    if not bool(((square - 1).abs() <= 1e-3).all()):
        return "none"
    if bool((mean.abs() <= 1e-3).all()):
        return "layer"
    return "rms"
