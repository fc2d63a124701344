"""Takes mean and mean square over all tokens."""


def norm_of(states, within=1e-3):
    mean = states.mean()
    square = (states**2).mean()
    if not bool(((square - 1).abs() <= within).all()):
        return "none"
    if bool((mean.abs() <= within).all()):
        return "layer"
    return "rms"
