"""Mean square minus squared mean, weighted by keep, in float64."""

import torch


def unit_scale(q, k, keep=None):
    if keep is None:
        keep = torch.ones(k.shape[0], k.shape[2], dtype=torch.bool)
    scores = torch.einsum("bhqc,bhkc->bhqk", q.double(), k.double())
    weight = keep[:, None, None, :].double().expand_as(scores)
    count = weight.sum((0, 2, 3))
    mean = (scores * weight).sum((0, 2, 3)) / count
    square = (scores.square() * weight).sum((0, 2, 3)) / count
    return (square - mean.square()).rsqrt().to(q.dtype)
