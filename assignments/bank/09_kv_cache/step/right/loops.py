"""Loops over sequences, heads and tokens."""

import torch


def step(weights, heads, ids, state=None, keep=None):
    batch, new = ids.shape
    d = weights["token"].shape[1]
    c = d // heads
    past = 0 if state is None else state[0].shape[1]
    rows, all_keys, all_values = [], [], []
    for row in range(batch):
        real = [True] * (past + new) if keep is None else [bool(r) for r in keep[row]]
        places = [sum(real[:j]) for j in range(past, past + new)]
        x = weights["token"][ids[row]] + weights["position"][places]
        keys, values = x @ weights["key"], x @ weights["value"]
        if state is not None:
            keys = torch.cat([state[0][row], keys])
            values = torch.cat([state[1][row], values])
        mixed = []
        for i in range(new):
            seen = [j for j in range(past + i + 1) if real[j]] or [past + i]
            query = x[i] @ weights["query"]
            parts = []
            for head in range(heads):
                own = slice(head * c, head * c + c)
                scores = keys[seen][:, own] @ query[own] / c**0.5
                parts.append(scores.softmax(0) @ values[seen][:, own])
            mixed.append(torch.cat(parts))
        rows.append((x + torch.stack(mixed) @ weights["out"]) @ weights["token"].T)
        all_keys.append(keys)
        all_values.append(values)
    return torch.stack(rows), (torch.stack(all_keys), torch.stack(all_values))
