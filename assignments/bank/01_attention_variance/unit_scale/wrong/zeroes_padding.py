"""Sets the scores of padding keys to 0 and then counts them."""

import torch


def unit_scale(q, k, keep=None):
    scores = torch.einsum("bhqc,bhkc->hbqk", q, k)
    if keep is None:
        keep = torch.ones(k.shape[0], k.shape[2], dtype=torch.bool)
    real = keep[:, None, :].expand(scores.shape[1:])
    return 1 / (scores * real).flatten(1).std(-1, correction=0)
