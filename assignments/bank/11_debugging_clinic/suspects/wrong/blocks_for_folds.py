"""Cuts the rows into blocks."""

import torch


def suspects(vectors, labels, folds):
    known = torch.tensor(labels)
    fold = torch.arange(len(labels)) * folds // len(labels)
    found = []
    for i, label in enumerate(labels):
        others = fold != fold[i]
        classes = known[others].unique()
        means = torch.stack([vectors[others & (known == c)].mean(0) for c in classes])
        probabilities = (-(vectors[i] - means).square().sum(-1)).softmax(-1)
        found.append((i, probabilities[classes == label].sum().item()))
    return sorted(found, key=lambda pair: (pair[1], pair[0]))
