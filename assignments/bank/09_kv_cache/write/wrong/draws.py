"""Draws the tokens."""

import torch


def write(weights, heads, prompts, new, stop=None):
    ids, keep, _ = left_batch(prompts)
    longest = len(weights["position"])
    if ids.shape[1] + new > longest:
        raise ValueError(
            f"{ids.shape[1]} and {new} tokens are more than {longest} positions"
        )
    written = [[] for _ in prompts]
    finished, state = [False] * len(prompts), None
    for _ in range(new):
        logits, state = step(weights, heads, ids, state, keep)
        tokens = torch.multinomial(logits[:, -1].softmax(-1), 1)[:, 0]  # b
        for row, token in enumerate(tokens.tolist()):
            if not finished[row]:
                written[row].append(token)
                finished[row] = token in (stop or ())
        if all(finished):
            break
        ids = tokens[:, None]  # b 1
        keep = torch.cat([keep, torch.ones_like(keep[:, :1])], dim=1)  # b k
    return written
