"""In float64, cast back at the end."""


def layer_norm_gradients(x, gain, grad, eps=1e-5):
    X, G = x.double(), grad.double()
    X = X - X.mean(-1, keepdim=True)
    s = (X.pow(2).mean(-1, keepdim=True) + eps) ** 0.5
    X = X / s
    H = G * gain.double()
    H = H - H.mean(-1, keepdim=True) - X * (X * H).mean(-1, keepdim=True)
    d = x.shape[-1]
    pair = (G * X).reshape(-1, d).sum(0), G.reshape(-1, d).sum(0)
    return {
        "x": (H / s).to(x.dtype),
        "gain": pair[0].to(x.dtype),
        "bias": pair[1].to(x.dtype),
    }
