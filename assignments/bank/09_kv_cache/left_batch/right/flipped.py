"""Pads turned prompts on the right and turns the result."""

import torch


def left_batch(prompts, fill=0):
    turned = [torch.tensor(prompt).flip(0) for prompt in prompts]
    ids = torch.nn.utils.rnn.pad_sequence(
        turned, batch_first=True, padding_value=fill
    ).flip(1)
    ones = [torch.ones_like(prompt) for prompt in turned]
    real = torch.nn.utils.rnn.pad_sequence(ones, batch_first=True).flip(1)
    return ids, real.bool(), (real.cumsum(1) - 1) * real
