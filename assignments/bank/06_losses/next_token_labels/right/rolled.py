"""Rolls both tensors and strikes out what may not be asked."""

import torch


def next_token_labels(ids, text):
    labels, following = ids.roll(-1, dims=1), text.roll(-1, dims=1)
    wrapped = torch.arange(ids.shape[1]) == ids.shape[1] - 1
    return labels.masked_fill((text != following) | (text == 0) | wrapped, -100)
