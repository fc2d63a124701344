"""Masked language models from scratch: the loss falls, and blanks are filled in."""

import math
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from course_lib import data
from course_lib.bricks.embeddings import LearnedPositions, SinusoidalPositions
from course_lib.evaluate import losses_on
from course_lib.heads import WithHead
from course_lib.logs import History
from course_lib.losses import IGNORED
from course_lib.metrics import accuracy
from course_lib.model import assemble
from course_lib.objectives import OnlyMasked, inputs, predict_only_masked
from course_lib.optim import normal_init_
from course_lib.records import curve
from course_lib.rows import Collate, Row, dice, masked
from course_lib.runs import Results
from course_lib.runs.texts import (
    chinese_encoder,
    chinese_texts,
    chinese_words,
    english_parts,
    english_words,
    vocabulary,
    windowed,
)
from course_lib.spec import Spec
from course_lib.tokenizers import Tokenizer
from course_lib.train import Recipe, train
from course_lib.variants import BERT_TINY

# Many small steps: for the first thousand or so the loss hardly falls below that of a bag of words,
# until attention has found positions, and the number of texts in a step does not shorten that.
ENGLISH = Recipe(steps=4_000, lr=2e-3, batch=16, precision="bfloat16", every=200, watch="none")
CHINESE = Recipe(steps=2_400, lr=2e-3, batch=16, every=200, watch="none")
TOKENS = 64  # the longest row in pre-training, and so the last position that is trained

ENGLISH_BLANKS = [
    "The following [MASK] is used to create a new object.",
    "If the expression is [MASK], an exception is raised.",
    "Changed in [MASK] 3.8: The class was added.",
    "The [MASK] of the function is a string.",
]
CHINESE_BLANKS = [
    "酒店的房间很[MASK]。",
    "这本书的内容很[MASK]。",
    "国家主席[MASK]发表讲话。",
    "电脑的[MASK]不错，价格也便宜。",
]
APPLE = "苹果"  # a fruit, and a maker of computers
SENSES = [
    ["早餐有苹果和香蕉。", "这些苹果又大又甜。", "农民把苹果卖到城里。", "饭后吃一个苹果。"],
    [
        "苹果电脑的屏幕很好。",
        "苹果系统我用不习惯。",
        "这台苹果笔记本太贵。",
        "苹果的键盘手感不错。",
    ],
]


def english_mlm(seed: int, work: Path) -> Results:
    """BERT-tiny on the language reference."""
    tokenizer = english_words()
    spec = replace(BERT_TINY, vocabulary=len(tokenizer))
    texts, held = english_parts()
    model, history = pretrain(
        spec, tokenizer, texts, held, replace(ENGLISH, seed=seed), work / "english-mlm"
    )
    return results(model, tokenizer, history, held, ENGLISH_BLANKS)


def chinese_mlm(seed: int, work: Path) -> Results:
    """A small encoder on Chinese news and reviews; held out are reviews for validation."""
    model, history = chinese_model(seed, work)
    found = results(model, chinese_words(), history, chinese_held(), CHINESE_BLANKS)
    within, between = senses_apart(model, chinese_words(), APPLE, SENSES)
    found.numbers[f"cosine of {APPLE} within a sense"] = round(within, 3)
    found.numbers[f"cosine of {APPLE} between two senses"] = round(between, 3)
    return found


def chinese_model(seed: int, work: Path) -> tuple[WithHead, History]:
    """The Chinese encoder with its head: trained now, or found in the working folder."""
    recipe, folder = replace(CHINESE, seed=seed), work / "chinese-mlm"
    texts, held = chinese_texts(), chinese_held()
    return pretrain(chinese_encoder(), chinese_words(), texts, held, recipe, folder)


def chinese_held() -> list[str]:
    """Reviews for validation, on which the language model is measured."""
    return [example.text for example in data.reviews().validation[:300]]


def pretrain(
    spec: Spec,
    tokenizer: Tokenizer,
    texts: list[str],
    held: list[str],
    recipe: Recipe,
    folder: Path,
) -> tuple[WithHead, History]:
    """A masked language model of the given Spec, masked anew in every epoch."""
    model = new_model(replace(spec, dropout=0.0, attention_dropout=0.0), "mlm", recipe.seed)
    collate = masked(vocabulary(tokenizer))
    history = train(
        OnlyMasked(model),
        predict_only_masked,
        windowed(tokenizer, texts, TOKENS),
        recipe,
        collate=collate,
        evaluate=losses_on(predict_only_masked, windowed(tokenizer, held, TOKENS), collate),
        folder=folder,
    )
    return model, history


def new_model(spec: Spec, head: str, seed: int) -> WithHead:
    """A model with random weights, wider spread than BERT's the narrower it is.

    0.02 was chosen for a width of 768. What a Linear passes on grows with √d, so at width 128 the
    same effect takes 0.05; with 0.02 attention starts out so flat that it learns late.
    """
    torch.manual_seed(seed)
    model = assemble(spec, head)
    assert isinstance(model, WithHead)
    std = 0.02 * math.sqrt(768 / spec.width)
    normal_init_(model, std)
    start_as_waves_(model.backbone.embeddings.position, std)
    return model


@torch.no_grad()
def start_as_waves_(positions: nn.Module, std: float) -> None:
    """Begin a learned table of positions with sines and cosines of the given spread.

    Neighbours are then alike from the start, and one weight matrix of a head can point from every
    position to the one before. Between random rows it would have to learn each pair on its own.
    """
    assert isinstance(positions, LearnedPositions)
    rows, width = positions.weight.shape
    positions.weight.copy_(SinusoidalPositions(rows, width).table * math.sqrt(2) * std)


def results(
    model: WithHead, tokenizer: Tokenizer, history: History, held: list[str], blanks: list[str]
) -> Results:
    """The record of a language model."""
    curve_held = curve(history, "validation_mlm")
    rows = windowed(tokenizer, held, TOKENS)
    found, commonest = blanks_found(model, rows, masked(vocabulary(tokenizer)))
    return Results(
        numbers={
            "parameters": sum(p.numel() for p in model.parameters()),
            "vocabulary": len(tokenizer),
            "steps": len(history),
            "loss of a uniform guess": round(math.log(len(tokenizer)), 3),
            f"held-out loss after {curve_held[0][0]:.0f} steps": round(curve_held[0][1], 3),
            "last held-out loss": round(curve_held[-1][1], 3),
            "held-out blanks filled in right": round(found, 3),
            "the same, always guessing the commonest token": round(commonest, 3),
        },
        curves={"training loss": curve(history, "mlm"), "held-out loss": curve_held},
        texts={"filled in": [fill_in(model, tokenizer, blank) for blank in blanks]},
    )


@torch.no_grad()
def blanks_found(model: WithHead, rows: list[Row], collate: Collate) -> tuple[float, float]:
    """How often the likeliest token is right where one was hidden, and how often the commonest."""
    guesses, labels = [], []
    for first in range(0, len(rows), 64):
        batch = collate(rows[first : first + 64], dice("blanks", first))
        chosen = batch["mlm"] != IGNORED
        guesses.append(OnlyMasked(model)(chosen, **inputs(batch)).argmax(-1))
        labels.append(batch["mlm"][chosen])
    right, wanted = torch.cat(guesses), torch.cat(labels)
    commonest = torch.bincount(wanted).max() / len(wanted)
    return accuracy(right, wanted), commonest.item()


@torch.no_grad()
def fill_in(model: WithHead, tokenizer: Tokenizer, text: str, guesses: int = 3) -> str:
    """A text with its `[MASK]` replaced by the likeliest tokens and their probabilities."""
    ids = torch.tensor([tokenizer.encode(text)])
    at = (ids[0] == tokenizer.vocabulary["[MASK]"]).nonzero()[0]
    best = model(ids)[0, at[0]].softmax(-1).topk(guesses)
    shown = ", ".join(
        f"{tokenizer.decode([i])} {p:.0%}"
        for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    )
    return text.replace("[MASK]", f"[{shown}]")


@torch.no_grad()
def senses_apart(
    model: WithHead, tokenizer: Tokenizer, word: str, senses: list[list[str]]
) -> tuple[float, float]:
    """The mean cosine of a word's last states between texts of one sense, and of two.

    `senses` holds several texts for each sense. A word of several tokens is their mean.
    """
    vectors, sense = [], []
    for number, texts in enumerate(senses):
        for text in texts:
            start = text.index(word)
            within = [a < start + len(word) and b > start for a, b in tokenizer.offsets(text)]
            states = model.backbone.states(torch.tensor([tokenizer.encode(text)])).last[0, 1:-1]
            vectors.append(states[torch.tensor(within)].mean(0))
            sense.append(number)
    directions = nn.functional.normalize(torch.stack(vectors), dim=-1)
    cosines, label = directions @ directions.T, torch.tensor(sense)
    same = label[:, None] == label
    other_text = ~torch.eye(len(label), dtype=torch.bool)
    return cosines[same & other_text].mean().item(), cosines[~same].mean().item()
