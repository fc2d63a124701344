"""A loop over the positions that are asked."""

import torch


def tied_gradients(table, weight, ids, labels):
    pairs = [
        (i, y)
        for i, y in zip(ids.flatten().tolist(), labels.flatten().tolist(), strict=True)
        if y != -100
    ]
    loss = torch.zeros((), dtype=table.dtype)
    by_table, by_weight = torch.zeros_like(table), torch.zeros_like(weight)
    for i, y in pairs:
        h = table[i] @ weight
        log_p = (table @ h).log_softmax(0)
        loss -= log_p[y] / len(pairs)
        pull = log_p.exp() / len(pairs)
        pull[y] -= 1 / len(pairs)
        by_table += torch.outer(pull, h)
        by_h = pull @ table
        by_table[i] += weight @ by_h
        by_weight += torch.outer(table[i], by_h)
    return {"loss": loss, "table": by_table, "weight": by_weight}
