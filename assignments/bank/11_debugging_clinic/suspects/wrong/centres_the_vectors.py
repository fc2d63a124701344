"""Moves the vectors in place."""

import torch


def suspects(vectors, labels, folds):
    vectors -= vectors.mean(0)
    known = torch.tensor(labels)
    fold = torch.arange(len(labels)) % folds
    found = []
    for i, label in enumerate(labels):
        others = fold != i % folds
        classes = known[others].unique()
        means = torch.stack([vectors[others & (known == c)].mean(0) for c in classes])
        probabilities = (-(vectors[i] - means).square().sum(-1)).softmax(-1)
        found.append((i, probabilities[classes == label].sum().item()))
    return sorted(found, key=lambda pair: (pair[1], pair[0]))
