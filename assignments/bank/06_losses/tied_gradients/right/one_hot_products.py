"""One-hot matrices in place of look-ups."""

import torch


def tied_gradients(table, weight, ids, labels):
    asked = labels.flatten() != -100
    numbers = torch.arange(len(table))
    read = (ids.flatten()[asked, None] == numbers).to(table.dtype)
    wanted = (labels.flatten()[asked, None] == numbers).to(table.dtype)
    x = read @ table
    h = x @ weight
    logits = h @ table.T
    n = len(x)
    loss = (torch.logsumexp(logits, 1) - (logits * wanted).sum(1)).sum() / n
    back = (logits.softmax(1) - wanted) / n
    by_table = torch.einsum("nv,ne->ve", back, h)
    by_table = by_table + torch.einsum("nv,ne->ve", read, back @ table @ weight.T)
    return {
        "loss": loss,
        "weight": torch.einsum("nc,ne->ce", x, back @ table),
        "table": by_table,
    }
