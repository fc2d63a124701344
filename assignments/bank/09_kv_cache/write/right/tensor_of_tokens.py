"""A tensor of all tokens, cut afterwards."""

import torch


def write(weights, heads, prompts, new, stop=None):
    ids, keep, _ = left_batch(prompts, fill=1)
    if ids.shape[1] + new > len(weights["position"]):
        raise ValueError("more tokens than positions")
    logits, state = step(weights, heads, ids, None, keep)
    columns = [logits[:, -1].argmax(-1)]
    while len(columns) < new:
        keep = torch.nn.functional.pad(keep, (0, 1), value=True)
        logits, state = step(weights, heads, columns[-1][:, None], state, keep)
        columns.append(logits[:, -1].argmax(-1))
    result = []
    for row in torch.stack(columns, dim=1).tolist():
        ends = [i for i, token in enumerate(row) if token in (stop or set())]
        result.append(row[: ends[0] + 1] if ends else row)
    return result
