"""How good the predictions are: accuracy, F1 and the confusion matrix.

Predictions come first and labels second, as in the losses. All functions take class numbers, as
lists or tensors of any shape; logits need an `argmax(-1)` first. Results are plain numbers or small
tensors on the CPU. Left out: metrics of ranked scores, such as the area under a curve.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

Classes = Tensor | Sequence[int]


def accuracy(predictions: Classes, labels: Classes) -> float:
    """The share of predictions that are right."""
    predicted, true = _pair(predictions, labels)
    return (predicted == true).double().mean().item()


def confusion_matrix(predictions: Classes, labels: Classes, classes: int | None = None) -> Tensor:
    """How often each true class (row) was predicted as each class (column).

    Without `classes` the matrix ends at the largest class number that occurs.
    """
    predicted, true = _pair(predictions, labels)
    largest = int(torch.maximum(predicted, true).max())
    classes = largest + 1 if classes is None else classes
    if largest >= classes:
        raise ValueError(f"class {largest} occurs, but {classes} classes allow 0…{classes - 1}")
    return torch.bincount(true * classes + predicted, minlength=classes**2).view(classes, classes)


def f1_scores(predictions: Classes, labels: Classes, classes: int | None = None) -> Tensor:
    """The F1 of each class: 2·TP / (2·TP + FP + FN), and 0 where that is 0/0.

    F1 is the harmonic mean of precision and recall.
    """
    counts = confusion_matrix(predictions, labels, classes)
    right = counts.diag().double()
    predicted_or_true = counts.sum(0) + counts.sum(1)
    return 2 * right / predicted_or_true.clamp(min=1)


def macro_f1(predictions: Classes, labels: Classes, classes: int | None = None) -> float:
    """The plain mean of the classes' F1: a rare class weighs as much as a common one.

    Without `classes` the mean runs over the classes that occur among predictions or labels. With it
    all of them count, and one that never occurs counts as 0.
    """
    scores = f1_scores(predictions, labels, classes)
    if classes is None:
        counts = confusion_matrix(predictions, labels)
        scores = scores[(counts.sum(0) + counts.sum(1)) > 0]
    return scores.mean().item()


def _pair(predictions: Classes, labels: Classes) -> tuple[Tensor, Tensor]:
    predicted, true = torch.as_tensor(predictions).cpu(), torch.as_tensor(labels).cpu()
    if predicted.shape != true.shape:
        raise ValueError(
            f"predictions are {tuple(predicted.shape)} and labels {tuple(true.shape)}; "
            "there has to be one prediction a label (logits need an argmax first)"
        )
    if true.numel() == 0:
        raise ValueError("there is nothing to measure: no predictions were given")
    if predicted.is_floating_point() or true.is_floating_point():
        raise ValueError("predictions and labels have to be class numbers, not fractions")
    if min(predicted.min(), true.min()) < 0:
        raise ValueError("class numbers start at 0; leave out positions that do not count first")
    return predicted.flatten().long(), true.flatten().long()
