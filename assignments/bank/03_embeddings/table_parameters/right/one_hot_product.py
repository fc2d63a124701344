"""Both ends as products."""

import math

import torch


def table_parameters(v, d, e=None):
    shapes = [(v, d)] if e is None else [(v, e), (e, d), (d,)]
    return sum(math.prod(shape) for shape in shapes)


def largest_width(v, d):
    return max((e for e in range(d) if v * e + e * d + d < v * d), default=0)


def tied_gradient(ids, grad_rows, states, grad_logits):
    v, d = grad_logits.size(-1), states.size(-1)
    chosen = torch.nn.functional.one_hot(ids.flatten(), v).to(grad_rows.dtype)
    left = torch.cat([chosen, grad_logits.reshape(-1, v)])
    right = torch.cat([grad_rows.reshape(-1, d), states.reshape(-1, d)])
    return torch.einsum("nv,nd->vd", left, right)
