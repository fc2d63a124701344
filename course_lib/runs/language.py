"""Masked language models from scratch: the loss falls, and blanks are filled in."""

import math
from dataclasses import replace
from pathlib import Path

import torch

from course_lib import data
from course_lib.evaluate import losses_on
from course_lib.heads import WithHead
from course_lib.logs import History
from course_lib.model import assemble
from course_lib.objectives import OnlyMasked, predict_only_masked
from course_lib.optim import normal_init_
from course_lib.records import curve
from course_lib.rows import masked
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
from course_lib.tokenizers import WordPiece
from course_lib.train import Recipe, train
from course_lib.variants import BERT_TINY

# Many small steps: for the first thousand or so the loss hardly falls below that of a bag of words,
# until attention has found positions, and the number of texts in a step does not shorten that.
ENGLISH = Recipe(steps=4_000, lr=2e-3, batch=16, precision="bfloat16", every=200, watch="none")
CHINESE = Recipe(steps=5_000, lr=2e-3, batch=16, precision="bfloat16", every=250, watch="none")
TOKENS = 128  # the longest row in pre-training, and so the last position that is trained

ENGLISH_BLANKS = [
    "The [MASK] statement is used to define a function.",
    "If the expression is false, an exception is [MASK].",
    "A list is a mutable [MASK].",
    "The try statement specifies exception [MASK].",
]
CHINESE_BLANKS = [
    "中国的首都是北[MASK]。",
    "酒店的房间很干[MASK]。",
    "这本书很好[MASK]。",
    "国家主席江[MASK]民发表讲话。",
]


def english_mlm(seed: int, work: Path) -> Results:
    """BERT-tiny on the language reference."""
    tokenizer = english_words()
    spec = replace(BERT_TINY, vocabulary=len(tokenizer))
    texts, held = english_parts()
    model, history = pretrain(
        spec, tokenizer, texts, held, replace(ENGLISH, seed=seed), work / "english-mlm"
    )
    return results(model, tokenizer, history, ENGLISH_BLANKS)


def chinese_mlm(seed: int, work: Path) -> Results:
    """A small encoder on Chinese news and reviews; held out are reviews for validation."""
    model, history = chinese_model(seed, work)
    return results(model, chinese_words(), history, CHINESE_BLANKS)


def chinese_model(seed: int, work: Path) -> tuple[WithHead, History]:
    """The Chinese encoder with its head: trained now, or found in the working folder."""
    held = [example.text for example in data.reviews().validation[:300]]
    recipe, folder = replace(CHINESE, seed=seed), work / "chinese-mlm"
    return pretrain(chinese_encoder(), chinese_words(), chinese_texts(), held, recipe, folder)


def pretrain(
    spec: Spec,
    tokenizer: WordPiece,
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
    normal_init_(model, std=0.02 * math.sqrt(768 / spec.width))
    return model


def results(model: WithHead, tokenizer: WordPiece, history: History, blanks: list[str]) -> Results:
    """The record of a language model."""
    held = curve(history, "validation_mlm")
    return Results(
        numbers={
            "parameters": sum(p.numel() for p in model.parameters()),
            "vocabulary": len(tokenizer),
            "steps": len(history),
            "loss of a uniform guess": round(math.log(len(tokenizer)), 3),
            f"held-out loss after {held[0][0]:.0f} steps": round(held[0][1], 3),
            "last held-out loss": round(held[-1][1], 3),
        },
        curves={"training loss": curve(history, "mlm"), "held-out loss": held},
        texts={"filled in": [fill_in(model, tokenizer, blank) for blank in blanks]},
    )


@torch.no_grad()
def fill_in(model: WithHead, tokenizer: WordPiece, text: str, guesses: int = 3) -> str:
    """A text with its `[MASK]` replaced by the likeliest tokens and their probabilities."""
    ids = torch.tensor([tokenizer.encode(text)])
    at = (ids[0] == tokenizer.vocabulary["[MASK]"]).nonzero()[0]
    best = model(ids)[0, at[0]].softmax(-1).topk(guesses)
    shown = ", ".join(
        f"{tokenizer.names[i]} {p:.0%}"
        for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    )
    return text.replace("[MASK]", f"[{shown}]")
