"""Takes the mean of an empty pass, which is NaN."""

import torch


def accumulated_step(weight, passes, lr):
    rows = max(sum(len(labels) for _, labels in passes), 1)
    gradient = torch.zeros_like(weight)
    for x, labels in passes:
        error = (x @ weight).softmax(-1) - nn.functional.one_hot(
            labels, weight.shape[1]
        )
        gradient = gradient + x.T @ error / len(labels) * (len(labels) / rows)
    return weight - lr * gradient
