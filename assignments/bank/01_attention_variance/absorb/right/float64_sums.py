"""Sums in float64; an empty tensor remembers the dtype."""

import torch


def absorb(state, q, k, v, mask=None):
    memory = q.new_empty(0)
    q, k, v = q.double(), k.double(), v.double()
    s = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    s = s if mask is None else s.masked_fill(mask.logical_not(), -torch.inf)
    if state is None:
        peak = torch.full_like(s[..., :1], -torch.inf)
        numbers = torch.zeros(*q.shape[:2], 1 + v.shape[2], dtype=torch.float64)
    else:
        memory, peak, numbers = state
    new = torch.cat([peak, s], -1).amax(-1, keepdim=True)
    finite = new.nan_to_num(neginf=0.0)
    ones = torch.cat(
        [torch.ones_like(v[..., :1]), v], -1
    )  # the first column adds up the weights
    return memory, new, numbers * (peak - finite).exp() + (s - finite).exp() @ ones


def finish(state):
    memory, _, numbers = state
    total, weighted = numbers[..., :1], numbers[..., 1:]
    return (weighted / total.masked_fill(total == 0, 1)).to(memory.dtype)
