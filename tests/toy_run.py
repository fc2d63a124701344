"""Toys for the training tests; as a program, train one: `toy_run.py FOLDER WEIGHTS [KILL_AT]`.

It leaves checkpoints in FOLDER and the weights in WEIGHTS. With KILL_AT the process kills itself,
as a power cut would, when it collates that step's batch.
"""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import torch

from course_lib import VARIANTS, assemble
from course_lib.corruption import Vocabulary
from course_lib.objectives import classify
from course_lib.rows import Row, padded
from course_lib.train import Recipe, train

SPEC = replace(
    VARIANTS["bert-tiny"], vocabulary=40, width=16, feedforward=32, name="toy", dropout=0.1
)
RECIPE = Recipe(steps=12, lr=1e-2, batch=8, passes=2, every=5, warmup=0.2)


STILL = replace(SPEC, dropout=0.0, attention_dropout=0.0)
VOCABULARY = Vocabulary(size=40, pad=0, unk=1, cls=2, sep=3, mask=4)
GPT = replace(
    VARIANTS["gpt2"], vocabulary=40, width=16, layers=2, heads=2, dropout=0, attention_dropout=0
)


def model(head="classification", spec=STILL, dtype=torch.float64):
    """A small model, the same every time."""
    torch.manual_seed(0)
    return assemble(spec, head).to(dtype)


def quiet(*arguments, **options):
    """Train without a progress bar."""
    return train(*arguments, **options, show_progress=False)


def toy_rows(count: int = 40) -> list[Row]:
    """Texts of which the ids above 20 decide the class."""
    draw = torch.Generator().manual_seed(1)

    def ids(low: int, high: int, size: int) -> list[int]:
        return torch.randint(low, high, (size,), generator=draw).tolist()

    return [Row([2, *ids(5 + 15 * (i % 2), 20 + 15 * (i % 2), 4 + i % 5), 3], i % 2)
            for i in range(count)]  # fmt: skip


def main() -> None:
    folder, weights, *kill = sys.argv[1:]
    step = 0

    def collate(rows, rng):
        nonlocal step
        step += 1
        if kill and step == int(kill[0]):
            os.kill(os.getpid(), signal.SIGKILL)
        return padded(rows)

    # Two processes draw different dropout than one, so only a single process keeps it.
    net = model(spec=STILL if "RANK" in os.environ else SPEC)
    history = quiet(net, classify, toy_rows(), RECIPE, collate=collate, folder=folder)
    if os.environ.get("RANK", "0") == "0":
        losses = torch.tensor([row["loss"] for row in history], dtype=torch.float64)
        torch.save({"weights": net.state_dict(), "losses": losses}, Path(weights))


if __name__ == "__main__":
    main()
