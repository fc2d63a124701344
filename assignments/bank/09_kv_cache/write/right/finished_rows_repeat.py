"""Finished rows repeat their last token."""

import torch


def write(weights, heads, prompts, new, stop=None):
    longest = max(len(prompt) for prompt in prompts)
    positions = len(weights["position"])
    if longest + new > positions:
        raise ValueError(f"{longest} + {new} > {positions}")
    stops = torch.tensor(sorted(stop or []), dtype=torch.long)
    ids, keep, _ = left_batch(prompts)
    done = torch.zeros(len(prompts), dtype=torch.bool)
    last, state, rows = ids[:, -1], None, [[] for _ in prompts]
    for n in range(new):
        logits, state = step(weights, heads, ids, state, keep)
        token = torch.where(done, last, logits[:, -1].argmax(dim=-1))
        for i in (~done).nonzero()[:, 0].tolist():
            rows[i].append(int(token[i]))
        done = done | torch.isin(token, stops)
        if bool(done.all()) or n + 1 == new:
            break
        ids, last = token.unsqueeze(1), token
        keep = torch.cat([keep, torch.full_like(keep[:, :1], True)], dim=1)
    return rows
