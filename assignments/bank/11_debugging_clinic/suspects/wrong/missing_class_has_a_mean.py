"""Gives a class without rows a mean of zeros."""

import torch


def suspects(vectors, labels, folds):
    known = torch.tensor(labels)
    fold = torch.arange(len(labels)) % folds
    found = []
    for i, label in enumerate(labels):
        others = fold != i % folds
        classes = torch.arange(max(labels) + 1)
        means = torch.stack(
            [
                vectors[others & (known == c)].sum(0)
                / (others & (known == c)).sum().clamp(min=1)
                for c in classes
            ]
        )
        probabilities = (-(vectors[i] - means).square().sum(-1)).softmax(-1)
        found.append((i, probabilities[classes == label].sum().item()))
    return sorted(found, key=lambda pair: (pair[1], pair[0]))
