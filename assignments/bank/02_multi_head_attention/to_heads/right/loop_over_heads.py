"""An empty tensor, filled head by head."""


def to_heads(x, heads):
    *axes, t, d = x.shape
    c = d // heads
    if heads * c != d:
        raise ValueError("unequal slices")
    out = x.new_empty(*axes, heads, t, c)
    for i in range(heads):
        out[..., i, :, :] = x[..., i * c : i * c + c]
    return out


def from_heads(x):
    *axes, h, t, c = x.shape
    out = x.new_empty(*axes, t, h * c)
    for i in range(h):
        out[..., i * c : i * c + c] = x[..., i, :, :]
    return out
