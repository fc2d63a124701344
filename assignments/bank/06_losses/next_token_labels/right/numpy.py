"""NumPy from beginning to end."""

import torch


def next_token_labels(ids, text):
    tokens, owners = ids.numpy(), text.numpy()
    labels = -100 + 0 * tokens
    for row, column in zip(
        *(owners[:, 1:] * (owners[:, 1:] == owners[:, :-1])).nonzero(), strict=True
    ):
        labels[row, column] = tokens[row, column + 1]
    return torch.from_numpy(labels)
