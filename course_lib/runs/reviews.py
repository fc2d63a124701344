"""Chinese reviews: fine-tuning the encoder of `chinese-mlm`, against three ways to do without.

The baselines are the majority class and logistic regression on TF-IDF; the third is the same
network with random weights at the start. Whatever is chosen is chosen on validation reviews; the
test reviews only measure.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import torch

from course_lib import data
from course_lib.baseline import LogisticRegression
from course_lib.evaluate import predict, scores_on
from course_lib.heads import WithHead
from course_lib.logs import History
from course_lib.metrics import accuracy, confusion_matrix, macro_f1
from course_lib.model import Transformer
from course_lib.objectives import classify
from course_lib.records import curve
from course_lib.runs import Results
from course_lib.runs.language import chinese_model, new_model
from course_lib.runs.texts import labelled
from course_lib.spec import Spec
from course_lib.train import Recipe, train

FINE_TUNING = Recipe(steps=434, lr=1e-3, batch=32, every=108, patience=3)  # one epoch
STRENGTHS = (1.0, 4.0, 16.0)  # of the baseline, the best on validation counts


def reviews(seed: int, work: Path) -> Results:
    """Fine-tune, and compare on the test reviews."""
    parts = data.reviews()
    texts, labels = [e.text for e in parts.test], [e.label for e in parts.test]
    majority = Counter(e.label for e in parts.train).most_common(1)[0][0]
    encoder = chinese_model(seed, work)[0].backbone
    folder = work / "reviews"
    model, history = fine_tuned(encoder.spec, seed, folder / "pre-trained", encoder)
    fresh, _ = fine_tuned(encoder.spec, seed, folder / "from-scratch")
    guesses = {
        "majority class": torch.full((len(labels),), majority),
        "TF-IDF + logistic regression": best_baseline(parts)(texts).argmax(-1),
        "encoder from scratch": predict(fresh, labelled(parts.test)).argmax(-1),
        "encoder pre-trained": predict(model, labelled(parts.test)).argmax(-1),
    }
    numbers: dict[str, float] = {
        "training reviews": len(parts.train),
        "test reviews": len(labels),
        "duplicates removed": parts.duplicates,
    }
    for name, guess in guesses.items():
        numbers[f"macro F1, {name}"] = round(macro_f1(guess, labels, 2), 4)
        numbers[f"accuracy, {name}"] = round(accuracy(guess, labels), 4)
    counts = confusion_matrix(guesses["encoder pre-trained"], labels, 2)
    for true, row in zip(data.REVIEW_LABELS, counts.tolist(), strict=True):
        for found, count in zip(data.REVIEW_LABELS, row, strict=True):
            numbers[f"{true} reviews found {found}"] = count
    wrong = (guesses["encoder pre-trained"] != torch.tensor(labels)).nonzero().flatten()[:5]
    return Results(
        numbers,
        curves={
            "training loss": curve(history, "loss"),
            "validation macro F1": curve(history, "validation_macro_f1"),
        },
        texts={
            "wrong on": [f"{data.REVIEW_LABELS[labels[i]]}: {texts[i]}" for i in wrong.tolist()]
        },
    )


def fine_tuned(
    spec: Spec, seed: int, folder: Path, encoder: Transformer | None = None
) -> tuple[WithHead, History]:
    """A classifier of reviews, with the weights of an encoder where one is given."""
    parts = data.reviews()
    spec = replace(spec, dropout=0.1, attention_dropout=0.1)
    model = new_model(spec, "classification", seed)
    if encoder is not None:
        # The pooler was not pre-trained and keeps its random weights.
        model.backbone.load_state_dict(encoder.state_dict(), strict=False)
    history = train(
        model,
        classify,
        labelled(parts.train),
        replace(FINE_TUNING, seed=seed),
        evaluate=scores_on(labelled(parts.validation)),
        folder=folder,
    )
    return model, history


def best_baseline(parts: data.Reviews) -> LogisticRegression:
    """Logistic regression with the penalty that does best on the validation reviews."""
    texts, labels = zip(*parts.train, strict=True)
    held_texts, held_labels = zip(*parts.validation, strict=True)
    models = [LogisticRegression(texts, labels, strength) for strength in STRENGTHS]
    return max(models, key=lambda m: macro_f1(m(held_texts).argmax(-1), held_labels, 2))
