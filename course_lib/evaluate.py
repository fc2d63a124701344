"""Evaluation during and after training: predictions for rows, scores, losses on held-out rows.

What F1 is stands in `metrics.py`.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from course_lib import losses, metrics
from course_lib.objectives import Objective, inputs
from course_lib.rows import Collate, Row, dice, padded, terms
from course_lib.tokenizers.batch import buckets

Evaluate = Callable[[nn.Module], dict[str, float]]


@torch.inference_mode()
def predict(model: nn.Module, rows: Sequence[Row], batch: int = 64) -> Tensor:
    """A classifier's logits for all rows, in their order."""
    training, device = model.training, next(model.parameters()).device
    model.eval()
    logits: list[Tensor] = [torch.empty(0)] * len(rows)
    for group in buckets([len(row.ids) for row in rows], batch):
        batch_inputs = inputs(padded([rows[i] for i in group]))
        found = model(**{name: x.to(device) for name, x in batch_inputs.items()})
        for i, row in zip(group, found.float().cpu(), strict=True):
            logits[i] = row
    model.train(training)
    return torch.stack(logits)


def scores_on(rows: Sequence[Row], batch: int = 64) -> Evaluate:
    """An evaluation that measures macro F1, accuracy and loss on the given rows."""
    labels = torch.tensor([row.label for row in rows])

    def evaluate(model: nn.Module) -> dict[str, float]:
        logits = predict(model, rows, batch)
        guesses = logits.argmax(-1)
        return {
            "macro_f1": metrics.macro_f1(guesses, labels, logits.shape[-1]),
            "accuracy": metrics.accuracy(guesses, labels),
            "loss": losses.cross_entropy(logits, labels).item(),
        }

    return evaluate


def losses_on(
    objective: Objective, rows: Sequence[Row], collate: Collate, batch: int = 64
) -> Evaluate:
    """An evaluation that measures an objective on rows whose masks are the same every time."""

    def evaluate(model: nn.Module) -> dict[str, float]:
        training, device = model.training, next(model.parameters()).device
        model.eval()
        sums: dict[str, float] = {}
        counts: dict[str, int] = {}
        for number, group in enumerate(buckets([len(row.ids) for row in rows], batch)):
            made = collate([rows[i] for i in group], dice("evaluation", number))
            made = {name: x.to(device) for name, x in made.items()}
            with torch.inference_mode():
                found = objective(model, made)
            for name, loss in found.items():
                sums[name] = sums.get(name, 0.0) + loss.item() * terms(made[name])
                counts[name] = counts.get(name, 0) + terms(made[name])
        model.train(training)
        means = {name: sums[name] / counts[name] for name in sums}
        return means | {"loss": sum(means.values())}

    return evaluate
