"""Powers of the product, each head divided by its row's largest first."""

import torch


def one_wide_head(weights):
    h = weights.shape[1]
    out = torch.ones_like(weights[:, 0], dtype=torch.float64)
    for i in range(h):
        out = out * weights[:, i].double() ** (h**-0.5)
        out = out / out.amax(dim=-1, keepdim=True)
    return (out / out.sum(-1, keepdim=True)).to(weights.dtype)
