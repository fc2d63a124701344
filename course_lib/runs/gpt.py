"""A small GPT on the language reference: its loss falls, and it writes."""

import math
from dataclasses import replace
from pathlib import Path

import torch

from course_lib.data import windows
from course_lib.evaluate import losses_on
from course_lib.generate import generate
from course_lib.heads import WithHead
from course_lib.model import assemble
from course_lib.objectives import predict_next
from course_lib.records import curve
from course_lib.rows import Row, next_tokens
from course_lib.runs import Results
from course_lib.runs.texts import english_bytes, english_parts, small_gpt
from course_lib.train import Recipe, train

RECIPE = Recipe(
    steps=1_200, lr=2e-3, batch=16, schedule="cosine", precision="bfloat16", every=100,
    watch="none",
)  # fmt: skip
TOKENS = 128
PROMPTS = ["The statement", "If the object", "A class definition", "When an exception"]


def gpt(seed: int, work: Path) -> Results:
    """Train, then continue some prompts greedily and by sampling."""
    tokenizer = english_bytes()
    end = tokenizer.vocabulary["<|endoftext|>"]
    texts, held = english_parts()

    def rows(paragraphs: list[str]) -> list[Row]:
        """Paragraphs end to end, a mark between them, cut into rows that are all full."""
        stream = [i for paragraph in paragraphs for i in [*tokenizer.ids(paragraph), end]]
        return [Row(window) for window in windows(stream, TOKENS, TOKENS)]

    torch.manual_seed(seed)
    model = assemble(small_gpt(), head="lm")
    assert isinstance(model, WithHead)
    history = train(
        model,
        predict_next,
        rows(texts),
        replace(RECIPE, seed=seed),
        collate=next_tokens,
        evaluate=losses_on(predict_next, rows(held), next_tokens),
        folder=work / "gpt",
    )

    def written(temperature: float) -> list[str]:
        draw = torch.Generator().manual_seed(seed)
        return [
            tokenizer.decode(
                generate(
                    model, torch.tensor([tokenizer.ids(prompt)]), new_tokens=40,
                    temperature=temperature, top_p=0.9 if temperature else None, stop=[end],
                    generator=draw,
                )[0].tolist()
            )
            for prompt in PROMPTS
        ]  # fmt: skip

    held_out = curve(history, "validation_lm")
    return Results(
        numbers={
            "parameters": sum(p.numel() for p in model.parameters()),
            "vocabulary": len(tokenizer),
            "training tokens": len(rows(texts)) * TOKENS,
            "steps": len(history),
            "loss of a uniform guess": round(math.log(len(tokenizer)), 3),
            f"held-out loss after {held_out[0][0]:.0f} steps": round(held_out[0][1], 3),
            "last held-out loss": round(held_out[-1][1], 3),
        },
        curves={"training loss": curve(history, "lm"), "held-out loss": held_out},
        texts={"greedy": written(0.0), "temperature 0.8, top-p 0.9": written(0.8)},
    )
