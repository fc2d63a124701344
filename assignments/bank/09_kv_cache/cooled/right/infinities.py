"""−∞ in the logits for what is cut."""

import math

import torch


def cooled(logits, temperature=1.0):
    if temperature < 0:
        raise ValueError("negative temperature")
    if temperature == 0:
        out = torch.zeros_like(logits)
        return out.scatter_(-1, logits.argmax(-1, keepdim=True), 1)
    shifted = logits - logits.max(-1, keepdim=True)[0]
    weights = (shifted / temperature).exp()
    return weights / weights.sum(-1, keepdim=True)


def kept(probabilities, k=None, p=None):
    logs = probabilities.log()
    if k is not None:
        order = logs.argsort(dim=-1, descending=True, stable=True)
        logs = logs.scatter(-1, order[:, k:], -math.inf).log_softmax(-1)
    if p is not None:
        shares = probabilities if k is None else logs.exp()
        ordered, order = shares.sort(dim=-1, descending=True, stable=True)
        enough = ordered.cumsum(-1) >= p
        drop = torch.zeros_like(enough)
        drop[:, 1:] = enough[:, :-1]
        logs = logs.masked_fill(drop.scatter(-1, order, drop), -math.inf)
    return logs.softmax(-1)


def pick(probabilities, u):
    ends = probabilities.cumsum(-1)
    place = torch.searchsorted(ends, u[:, None].clone(), right=True)[:, 0]
    ids = torch.arange(probabilities.shape[-1]).expand_as(probabilities)
    last = ids.masked_fill(probabilities <= 0, -1).max(-1).values
    return torch.where(place > last, last, place)
