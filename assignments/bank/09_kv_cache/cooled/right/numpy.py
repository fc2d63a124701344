"""NumPy for cutting and drawing."""

import numpy as np
import torch


def cooled(logits, temperature=1.0):
    if temperature < 0:
        raise ValueError("T < 0")
    if temperature == 0:
        places = torch.arange(logits.shape[-1])
        return (places == logits.argmax(-1)[..., None]).to(logits.dtype)
    top, _ = logits.max(dim=-1, keepdim=True)
    return torch.softmax((logits - top) * (1 / temperature), dim=-1)


def kept(probabilities, k=None, p=None):
    shares = probabilities.numpy().copy()
    order = np.argsort(-shares, axis=1, kind="stable")
    sorted_shares = np.take_along_axis(shares, order, axis=1)
    if k is not None:
        sorted_shares[:, k:] = 0
        sorted_shares /= sorted_shares.sum(1, keepdims=True)
    if p is not None:
        reached = np.cumsum(sorted_shares, axis=1)
        reached = np.pad(reached, ((0, 0), (1, 0)))[:, :-1] >= p
        sorted_shares[reached] = 0
        sorted_shares /= sorted_shares.sum(1, keepdims=True)
    np.put_along_axis(shares, order, sorted_shares, axis=1)
    return torch.from_numpy(shares)


def pick(probabilities, u):
    found = []
    for row, place in zip(probabilities.numpy(), u.numpy(), strict=False):
        ids = np.flatnonzero(row)
        ends = np.cumsum(row[ids])
        found.append(ids[min(np.searchsorted(ends, place, side="right"), len(ids) - 1)])
    return torch.tensor(np.array(found))
