"""Pads the keys and unfolds them."""

import torch


def window_weights(q, k, radius, far, keep=None):
    b, h, t, c = q.shape
    keep = torch.ones(b, t, dtype=torch.bool) if keep is None else keep
    is_far = torch.zeros(t, dtype=torch.bool)
    is_far[torch.tensor(far, dtype=torch.long)] = True
    pad = torch.nn.functional.pad
    near = pad(keep & ~is_far, (radius, radius)).unfold(1, 2 * radius + 1, 1)  # b t w
    keys = pad(k, (0, 0, radius, radius)).unfold(2, 2 * radius + 1, 1)  # b h t c w
    band = (q.unsqueeze(-2) @ keys).squeeze(-2)  # b h t w
    order = torch.tensor(far, dtype=torch.long)
    scores = torch.cat([q @ k.index_select(2, order).mT, band], dim=-1) * c**-0.5
    seen = torch.cat([keep[:, order][:, None].repeat(1, t, 1), near], dim=-1)
    seen = (seen * keep[:, :, None]).unsqueeze(1)
    top = (
        scores.masked_fill(~seen, -torch.inf)
        .amax(-1, keepdim=True)
        .nan_to_num(neginf=0)
    )
    powers = torch.where(seen, scores - top.detach(), -torch.inf).exp()
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-9)
