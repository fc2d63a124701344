"""Takes the width of a head from d, which is right only where h·c = d."""

import torch


def head_entropy(weights, keep=None):
    logs = torch.where(weights > 0, weights, 1).log2()
    bits = -(weights * logs).sum(-1)
    if keep is None:
        return bits.mean(dim=(0, 2))
    real = keep[:, None, :].to(bits.dtype)
    return (bits * real).sum(dim=(0, 2)) / real.sum()


def without_heads(layer, heads, drop):
    c = layer["wq"].shape[0] // heads
    stays = torch.ones(layer["wq"].shape[1], dtype=torch.bool)
    for i in drop:
        stays[i * c : (i + 1) * c if layer["wq"].shape[0] > 2 else i + 1] = False
    new = {"wo": layer["wo"][stays], "bo": layer["bo"]}
    for n in "qkv":
        new["w" + n] = layer["w" + n][:, stays]
        new["b" + n] = layer["b" + n][stays]
    return new
