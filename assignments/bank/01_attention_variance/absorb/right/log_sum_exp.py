"""The state is the result so far and the log of its total weight."""

import torch


def absorb(state, q, k, v, mask=None):
    scores = torch.einsum("bqc,bkc->bqk", q / q.shape[-1] ** 0.5, k)
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    if state is None:
        out = torch.zeros(*q.shape[:2], v.shape[-1], dtype=q.dtype)
        size = torch.full((*q.shape[:2], 1), -torch.inf, dtype=q.dtype)
    else:
        out, size = state
    grown = torch.logsumexp(torch.cat([size, scores], dim=-1), dim=-1, keepdim=True)
    safe = torch.where(grown.isinf(), 0, grown)
    return (size - safe).exp() * out + (scores - safe).exp() @ v, grown


def finish(state):
    return state[0]
