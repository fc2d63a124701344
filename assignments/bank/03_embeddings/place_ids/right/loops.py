"""A loop over tokens."""

import torch


def place_ids(ids, padding):
    places = torch.full(ids.shape, padding, dtype=torch.long)
    for i, row in enumerate(ids):
        following = padding + 1
        for j, one in enumerate(row):
            if one != padding:
                places[i, j] = following
                following += 1
    return places


def longest_text(rows, padding):
    return len(range(padding + 1, rows))
