"""In float64, cast back at the end."""

import torch


def cooled(logits, temperature=1.0):
    if not temperature >= 0:
        raise ValueError(f"a temperature of {temperature}")
    z = logits.double()
    if temperature == 0:
        hot = torch.nn.functional.one_hot(z.argmax(-1), z.shape[-1])
        return hot.to(logits.dtype)
    z = (z - z.max(-1, keepdim=True).values) / temperature
    return (z.exp() / z.exp().sum(-1, keepdim=True)).to(logits.dtype)


def kept(probabilities, k=None, p=None):
    rows = []
    for row in probabilities.double():
        order = torch.argsort(-row, stable=True)
        if k is not None:
            order = order[:k]
        if p is not None:
            share = row[order] / row[order].sum()
            order = order[torch.cat([torch.zeros(1), share.cumsum(0)[:-1]]) < p]
        new = torch.zeros_like(row)
        new[order] = row[order] / row[order].sum()
        rows.append(new)
    return torch.stack(rows).to(probabilities.dtype)


def pick(probabilities, u):
    found = []
    for row, place in zip(probabilities.tolist(), u.tolist(), strict=False):
        total, token = 0.0, None
        for i, share in enumerate(row):
            if share > 0:
                token, total = i, total + share
                if total > place:
                    break
        found.append(token)
    return torch.tensor(found)
