"""Takes the variance around the mean for the mean square."""


def norm_of(states, within=1e-3):
    mean = states.mean(dim=-1)
    square = states.var(dim=-1, correction=0)
    if not bool(((square - 1).abs() <= within).all()):
        return "none"
    if bool((mean.abs() <= within).all()):
        return "layer"
    return "rms"
