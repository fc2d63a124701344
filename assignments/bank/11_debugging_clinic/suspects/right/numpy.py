"""Computes in NumPy with shifted exponentials."""

import numpy as np


def suspects(vectors, labels, folds):
    x, y = vectors.numpy().astype(np.float64), np.asarray(labels)
    confidence = []
    for i in range(len(x)):
        train = np.array([j % folds != i % folds for j in range(len(x))])
        logits = {}
        for c in np.unique(y[train]):
            gap = x[i] - x[train & (y == c)].mean(axis=0)
            logits[c] = -(gap @ gap)
        top = max(logits.values())
        total = sum(np.exp(z - top) for z in logits.values())
        confidence.append(
            float(np.exp(logits[y[i]] - top) / total) if y[i] in logits else 0.0
        )
    return [(int(i), confidence[i]) for i in np.argsort(confidence, kind="stable")]
