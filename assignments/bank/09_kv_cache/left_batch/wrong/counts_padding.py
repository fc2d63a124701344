"""Gives padding positions of its own."""

import torch


def left_batch(prompts, fill=0):
    longest = max(map(len, prompts))
    ids = torch.full((len(prompts), longest), fill)  # b t
    keep = torch.zeros(len(prompts), longest, dtype=torch.bool)  # b t
    for row, prompt in enumerate(prompts):
        start = longest - len(prompt)
        ids[row, start:] = torch.tensor(prompt)
        keep[row, start:] = True
    positions = torch.arange(longest).expand_as(keep)  # b t
    return ids, keep, positions
