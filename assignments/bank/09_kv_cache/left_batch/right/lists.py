"""Lists of lists, made tensors at the end."""

import torch


def left_batch(prompts, fill=0):
    width = max(len(p) for p in prompts)
    gaps = [width - len(p) for p in prompts]
    ids = [[fill] * gap + p for gap, p in zip(gaps, prompts, strict=False)]
    keep = [
        [False] * gap + [True] * len(p) for gap, p in zip(gaps, prompts, strict=False)
    ]
    places = [
        [0] * gap + [*range(len(p))] for gap, p in zip(gaps, prompts, strict=False)
    ]
    return torch.tensor(ids), torch.tensor(keep), torch.tensor(places)
