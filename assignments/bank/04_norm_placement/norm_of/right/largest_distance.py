"""The largest distances, compared."""


def norm_of(states, within=1e-3):
    x = states.double()
    off = x.mul(x).mean(-1).sub(1).abs().max()
    if off > within or off.isnan():
        return "none"
    return "rms" if x.mean(-1).abs().max() > within else "layer"
