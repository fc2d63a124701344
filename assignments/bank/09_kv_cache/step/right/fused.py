"""PyTorch's own attention, with a mask."""

import torch
import torch.nn.functional as F


def step(weights, heads, ids, state=None, keep=None):
    batch, new = ids.shape
    old_keys, old_values = state or (None, None)
    past = 0 if state is None else old_keys.shape[-2]
    if keep is None:
        keep = torch.ones(batch, past + new)
    keep = keep.bool()
    place = torch.stack([keep[:, :j].sum(1) for j in range(past, past + new)], dim=1)
    x = weights["token"][ids] + weights["position"][place]

    def split(name):
        return (x @ weights[name]).view(batch, new, heads, -1).transpose(1, 2)

    keys, values = split("key"), split("value")
    if state is not None:
        keys = torch.cat((old_keys, keys), dim=-2)
        values = torch.cat((old_values, values), dim=-2)
    mask = visible(new, past, keep)[:, None]
    mask = mask | ~mask.any(-1, keepdim=True)
    mixed = F.scaled_dot_product_attention(split("query"), keys, values, attn_mask=mask)
    y = x + mixed.transpose(1, 2).reshape(batch, new, -1) @ weights["out"]
    return F.linear(y, weights["token"]), (keys, values)
