"""Places minus gaps, by broadcasting."""

import torch


def left_batch(prompts, fill=0):
    lengths = torch.tensor([len(prompt) for prompt in prompts])
    width = int(lengths.max())
    places = torch.arange(width) - (width - lengths)[:, None]
    keep = places >= 0
    ids = torch.full(keep.shape, fill, dtype=torch.long)
    ids[keep] = torch.tensor([token for prompt in prompts for token in prompt])
    return ids, keep, places.relu()
