"""Makes means by a product with one-hot labels, fold by fold."""

import torch


def suspects(vectors, labels, folds):
    x = vectors.double()
    names, kind = torch.tensor(labels).unique(return_inverse=True)
    hot = torch.nn.functional.one_hot(kind, len(names)).double()
    fold = torch.arange(len(x)) % folds
    confidence = torch.zeros(len(x), dtype=torch.float64)
    for f in fold.unique():
        inside = fold == f
        counts = hot[~inside].sum(0)
        means = (hot[~inside].T @ x[~inside]) / counts.clamp(min=1)[:, None]
        distance = torch.cdist(
            x[inside], means, compute_mode="donot_use_mm_for_euclid_dist"
        ).square()
        distance[:, counts == 0] = torch.inf
        confidence[inside] = (-distance).softmax(-1).gather(1, kind[inside, None])[:, 0]
    order = sorted(range(len(x)), key=lambda i: (confidence[i].item(), i))
    return [(i, confidence[i].item()) for i in order]
