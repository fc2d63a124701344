"""Takes logsumexp, and helper functions."""

import math

import torch


def mean_of(vectors, members):
    return torch.stack([vectors[j] for j in members]).mean(dim=0)


def believed(vectors, labels, i, others):
    scores = {}
    for label in {labels[j] for j in others}:
        mean = mean_of(vectors, [j for j in others if labels[j] == label])
        scores[label] = -(torch.dist(vectors[i], mean) ** 2)
    if labels[i] not in scores:
        return 0.0
    total = torch.logsumexp(torch.stack(list(scores.values())), dim=0)
    return math.exp(scores[labels[i]] - total)


def suspects(vectors, labels, folds):
    x, n = vectors.to(torch.float64), len(labels)
    result = []
    for i in range(n):
        others = [j for j in range(n) if (j - i) % folds]
        result.append((believed(x, labels, i, others), i))
    return [(i, confidence) for confidence, i in sorted(result)]
