"""Smaller models from a larger one: DistilBERT's three losses, TinyBERT's two stages.

The teacher is the Chinese encoder of `chinese-mlm`, for the task the classifier of `reviews`. Each
student is compared with one of its own size that had no teacher, on the same test reviews.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import torch

from course_lib import data
from course_lib.evaluate import predict, scores_on
from course_lib.heads import MaskedLM, WithHead
from course_lib.metrics import macro_f1
from course_lib.model import Transformer, assemble
from course_lib.objectives import TinyStudent, distil_bert, imitate, tiny_bert
from course_lib.records import curve
from course_lib.rows import Row, counting, dice, masked, padded
from course_lib.runs import Results
from course_lib.runs.language import TOKENS, chinese_model, new_model
from course_lib.runs.reviews import fine_tuned
from course_lib.runs.texts import chinese_texts, chinese_words, labelled, vocabulary, windowed
from course_lib.train import Recipe, train

GENERAL = Recipe(steps=250, lr=1e-3, batch=16, every=50, watch="none")
TASK = Recipe(steps=250, lr=1e-3, batch=32, every=50)
TINY_LAYERS = ("embedding", "hidden", "attention")


def distilbert(seed: int, work: Path) -> Results:
    """Half the layers, begun from the teacher's, taught by its predictions and last states."""
    teacher, _ = chinese_model(seed, work)
    student = every_other_layer(teacher)
    history = train(
        student,
        distil_bert(teacher),
        windowed(chinese_words(), chinese_texts(), TOKENS),
        replace(GENERAL, seed=seed),
        collate=counting(masked(vocabulary(chinese_words())), tokens=("kl", "cosine")),
        folder=work / "distilbert" / "general",
    )
    folder, spec = work / "distilbert", student.spec
    distilled, _ = fine_tuned(spec, seed, folder / "fine-tuned", student.backbone)
    alone, _ = fine_tuned(spec, seed, folder / "alone")
    return Results(
        numbers={
            "parameters, teacher": size(teacher.backbone),
            "parameters, student": size(student.backbone),
            "macro F1, teacher": test_score(task_teacher(seed, work, teacher.backbone)),
            "macro F1, student": test_score(distilled),
            "macro F1, same size without a teacher": test_score(alone),
        },
        curves={name: curve(history, name) for name in ("kl", "mlm", "cosine")},
        texts={},
    )


def every_other_layer(teacher: WithHead) -> WithHead:
    """A model with the teacher's embeddings and head and every second of its layers."""
    torch.manual_seed(0)
    student = assemble(replace(teacher.spec, layers=teacher.spec.layers // 2), head="mlm")
    assert isinstance(student, WithHead)
    student.head.load_state_dict(teacher.head.state_dict())
    student.backbone.embeddings.load_state_dict(teacher.backbone.embeddings.state_dict())
    for layer, block in enumerate(student.backbone.layers):
        block.load_state_dict(teacher.backbone.layers[2 * layer].state_dict())
    return student


def tinybert(seed: int, work: Path) -> Results:
    """Half the layers at half the width, taught layer by layer: first in general, then the task."""
    language_model, _ = chinese_model(seed, work)
    teacher = task_teacher(seed, work, language_model.backbone)
    spec = replace(teacher.spec, layers=2, width=64, feedforward=256)
    still = replace(spec, dropout=0.0, attention_dropout=0.0)
    model = new_model(still, "classification", seed)
    student = TinyStudent(model.backbone, teacher.spec.width)
    folder = work / "tinybert"
    layers = counting(padded, rows=TINY_LAYERS)
    general = train(
        student,
        tiny_bert(language_model.backbone),
        windowed(chinese_words(), chinese_texts(), TOKENS),
        replace(GENERAL, seed=seed),
        collate=layers,
        folder=folder / "general",
    )
    rows = labelled(data.reviews().train)
    more = [*rows, *augmented(rows, language_model, dice(seed, "augmented"))]
    recipe = replace(TASK, seed=seed, watch="none")
    task = train(
        student, tiny_bert(teacher.backbone), more, recipe, collate=layers, folder=folder / "task"
    )
    last = train(
        model,
        imitate(teacher),
        more,
        replace(TASK, seed=seed),
        collate=counting(padded, rows=["prediction"]),
        evaluate=scores_on(labelled(data.reviews().validation)),
        folder=folder / "prediction",
    )
    alone, _ = fine_tuned(spec, seed, folder / "alone")
    example = chinese_words()
    return Results(
        numbers={
            "parameters, teacher": size(teacher.backbone),
            "parameters, student": size(model.backbone),
            "rows with augmentation": len(more),
            "macro F1, teacher": test_score(teacher),
            "macro F1, student": test_score(model),
            "macro F1, same size without a teacher": test_score(alone),
        },
        curves={
            **{f"general: {name}": curve(general, name) for name in TINY_LAYERS},
            **{f"task: {name}": curve(task, name) for name in TINY_LAYERS},
            "task: prediction": curve(last, "prediction"),
            "task: validation macro F1": curve(last, "validation_macro_f1"),
        },
        texts={
            "a review and its augmented copy": [
                example.decode(rows[0].ids),
                example.decode(more[len(rows)].ids),
            ]
        },
    )


def task_teacher(seed: int, work: Path, encoder: Transformer) -> WithHead:
    """The classifier of the run `reviews`: trained now, or found in the working folder."""
    return fine_tuned(encoder.spec, seed, work / "reviews" / "pre-trained", encoder)[0]


@torch.no_grad()
def augmented(
    rows: Sequence[Row], model: WithHead, rng: Random, share: float = 0.2, best: int = 8
) -> list[Row]:
    """A copy of each row in which some tokens are replaced by what the language model proposes.

    TinyBERT replaces word by word with the 15 likeliest; here a fifth of a row's tokens is masked
    at once and drawn from the likeliest `best`, which needs one pass.
    """
    assert isinstance(model.head, MaskedLM)
    words, copies = vocabulary(chinese_words()), []
    for first in range(0, len(rows), 64):
        batch = padded(list(rows[first : first + 64]))
        ids = batch["input_ids"]
        ordinary = ~torch.isin(ids, torch.tensor(sorted(words.special)))
        draws = torch.tensor([[rng.random() for _ in row] for row in ids.tolist()])
        chosen = ordinary & (draws < share)
        masked_ids = ids.masked_fill(chosen, words.mask)
        states = model.backbone.states(masked_ids, batch["attention_mask"])
        likely = model.head.predict(states.last[chosen], model.backbone).topk(best).indices
        picks = torch.tensor([rng.randrange(best) for _ in range(len(likely))], dtype=torch.long)
        ids[chosen] = likely.gather(1, picks[:, None])[:, 0]
        for row, new in zip(rows[first : first + 64], ids.tolist(), strict=True):
            copies.append(row._replace(ids=new[: len(row.ids)]))
    return copies


def size(model: Transformer) -> int:
    """Its number of parameters."""
    return sum(p.numel() for p in model.parameters())


def test_score(model: WithHead) -> float:
    """Macro F1 on the test reviews."""
    rows = labelled(data.reviews().test)
    return round(macro_f1(predict(model, rows).argmax(-1), [row.label for row in rows], 2), 4)
