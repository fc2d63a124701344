"""What a training run leaves behind: its history as a file and as a figure.

A history is a list of dictionaries, one a step. Results meant to be committed are in `records.py`.
"""

import csv
import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

History = list[dict[str, float]]


@contextmanager
def replacing(file: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of an old one only when it is complete."""
    part = file.with_name(file.name + ".part")
    with part.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)


def write_log(history: History, file: Path) -> None:
    """A history as CSV (one column a number, empty where there was none) or as JSON."""
    text = io.StringIO()
    if file.suffix == ".json":
        json.dump(history, text, indent=0)
    elif file.suffix == ".csv":
        columns = list(dict.fromkeys(name for row in history for name in row))
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(history)
    else:
        raise ValueError(f"a log is a .csv or a .json file, not {file.name}")
    with replacing(file) as stream:
        stream.write(text.getvalue().encode())


def plot(history: History, smooth: float = 0.9) -> "Figure":
    """Loss against step, every value faint and a moving average over it, with validation scores."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.add_subplot(xlabel="step", ylabel="loss")
    steps, values = [row["step"] for row in history], [row["loss"] for row in history]
    average, averages = values[0], []
    for value in values:
        average = smooth * average + (1 - smooth) * value
        averages.append(average)
    axes.plot(steps, values, color="tab:blue", alpha=0.25)
    axes.plot(steps, averages, color="tab:blue", label="training loss")
    scored = [name for name in ("validation_loss", "validation_macro_f1") if name in history[-1]]
    for name, color in zip(scored, ("tab:orange", "tab:green"), strict=False):
        points = [(row["step"], row[name]) for row in history if name in row]
        label = name.replace("_", " ")
        axes.plot(*zip(*points, strict=True), "o-", color=color, label=label)
    axes.legend()
    return figure
