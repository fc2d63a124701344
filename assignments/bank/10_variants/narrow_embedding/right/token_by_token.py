"""Goes through the tokens in loops."""

import torch


def norm(row, weights):
    row = row - row.mean()
    return (
        row / ((row * row).mean() + 1e-12).sqrt() * weights["gain"] + weights["shift"]
    )


def narrow_embedding(ids, segments, weights):
    if ids.shape[1] > weights["position"].shape[0]:
        raise ValueError("the text is too long")
    texts = []
    for text, kinds in zip(ids, segments, strict=True):
        rows = []
        for place, (i, s) in enumerate(zip(text.tolist(), kinds.tolist(), strict=True)):
            row = (
                weights["token"][i] + weights["position"][place] + weights["segment"][s]
            )
            rows.append(norm(row, weights) @ weights["up"] + weights["up_bias"])
        texts.append(torch.stack(rows))
    return torch.stack(texts)


def narrow_logits(states, weights):
    texts = []
    for text in states:
        rows = []
        for state in text:
            row = state @ weights["down"] + weights["down_bias"]
            row = norm(torch.nn.functional.gelu(row, approximate="tanh"), weights)
            rows.append((weights["token"] * row).sum(-1) + weights["logit_bias"])
        texts.append(torch.stack(rows))
    return torch.stack(texts)
