"""Sums by hand in float64, a power for the root."""


def layer_norm(x, gain, bias, eps=1e-5):
    d = x.shape[-1]
    y = x.double()
    centre = y - y.sum(-1, keepdim=True) / d
    variance = (centre**2).sum(-1, keepdim=True) / d
    return (gain * (centre * (variance + eps) ** -0.5) + bias).to(x.dtype)


def rms_norm(x, gain, eps=1e-6):
    y = x.double()
    return (gain * y * (y.pow(2).mean(-1, keepdim=True) + eps) ** -0.5).type_as(x)
