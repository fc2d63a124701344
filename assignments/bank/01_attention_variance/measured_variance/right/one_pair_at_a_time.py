"""A loop over pairs with running sums."""

import torch


def measured_variance(c, draws, seed):
    pairs = torch.randn(draws, 2, c, generator=torch.Generator().manual_seed(seed))
    total = total_of_squares = 0.0
    for score in (
        torch.bmm(pairs[:, :1], pairs[:, 1:].transpose(1, 2)).flatten().tolist()
    ):
        total += score
        total_of_squares += score * score
    return total_of_squares / draws - (total / draws) ** 2
