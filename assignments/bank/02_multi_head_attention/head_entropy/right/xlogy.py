"""torch.xlogy, and heads cut apart and joined."""

import torch


def head_entropy(weights, keep=None):
    two = torch.tensor(2.0, dtype=weights.dtype)
    bits = -torch.xlogy(weights, weights).sum(-1) / two.log()
    rows = bits.permute(1, 0, 2).flatten(1)
    if keep is not None:
        rows = rows[:, keep.flatten()]
    return rows.mean(1)


def without_heads(layer, heads, drop):
    def smaller(w, axis):
        pieces = w.chunk(heads, dim=axis)
        return torch.cat([p for i, p in enumerate(pieces) if i not in drop], dim=axis)

    new = {name: smaller(w, -1) for name, w in layer.items() if name[1] in "qkv"}
    return new | {"wo": smaller(layer["wo"], 0), "bo": layer["bo"]}
