"""Computes in float64 and goes back."""

import torch


def tied_gradients(table, weight, ids, labels):
    e, w = table.double(), weight.double()
    keep = labels.ne(-100)
    i, y = ids[keep], labels[keep]
    h = e[i] @ w
    logits = h @ e.mT
    logits = logits - logits.amax(1, keepdim=True)
    p = logits.exp() / logits.exp().sum(1, keepdim=True)
    picked = logits[torch.arange(len(y)), y]
    loss = (logits.exp().sum(1).log() - picked).mean()
    back = (p - torch.eye(len(e), dtype=torch.float64)[y]) / len(y)
    by_table = back.mT @ h
    for row, gradient in zip(i.tolist(), back @ e @ w.mT, strict=True):
        by_table[row] += gradient
    found = {"loss": loss, "table": by_table, "weight": e[i].mT @ (back @ e)}
    return {name: x.to(table.dtype) for name, x in found.items()}
