"""Makes all scores and picks the columns."""

import torch


def window_weights(q, k, radius, far, keep=None):
    b, h, t, c = q.shape
    if keep is None:
        keep = torch.ones(b, t).bool()
    every = torch.einsum("bhqc,bhkc->bhqk", q, k) / c**0.5
    places = [[*far, *range(i - radius, i + radius + 1)] for i in range(t)]
    allowed = torch.zeros(b, t, len(places[0]), dtype=torch.bool)
    for i, row in enumerate(places):
        for column, j in enumerate(row):
            if 0 <= j < t and (column < len(far) or j not in far):
                allowed[:, i, column] = keep[:, i] & keep[:, j]
    index = torch.tensor(places).clamp(0, t - 1)
    scores = every.gather(-1, index.expand(b, h, t, -1))
    allowed = allowed[:, None].expand_as(scores)
    scores = torch.where(allowed, scores, torch.finfo(q.dtype).min)
    return torch.where(allowed, scores.softmax(-1), 0)
