"""Two loops over rows and positions."""

import torch


def next_token_labels(ids, text):
    labels = []
    for tokens, owners in zip(ids.tolist(), text.tolist(), strict=True):
        row = [-100] * len(tokens)
        for i in range(len(tokens) - 1):
            if owners[i] and owners[i] == owners[i + 1]:
                row[i] = tokens[i + 1]
        labels.append(row)
    return torch.tensor(labels)
