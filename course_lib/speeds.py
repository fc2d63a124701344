"""The benchmarks' table, for pages to read: measured beside the references, and committed.

A page that measured times itself would say something else on each build. How the table is made
and what its columns mean is in `benchmarks/README.md`.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

RESULTS = "benchmarks/results/latest.json"
FILE = Path(__file__).resolve().parents[1] / RESULTS


@dataclass(frozen=True)
class Speed:
    """One row: seconds of ours and of a peer (gigabytes where `work` says so), and their ratio."""

    work: str
    peer: str
    ours_s: float | None
    peer_s: float | None
    ratio: float | None
    spread: float | None
    target: float | None


@dataclass(frozen=True)
class Speeds:
    """All rows, and the machine they were measured on."""

    machine: str
    rows: tuple[Speed, ...]

    def find(self, *words: str) -> list[Speed]:
        """The rows whose work holds all these words; `ValueError` if there is none."""
        found = [row for row in self.rows if all(word in row.work for word in words)]
        if not found:
            known = "\n".join(row.work for row in self.rows)
            raise ValueError(f"No row has all of {words}. There are:\n{known}")
        return found

    def ours(self, work: str) -> float:
        """Our seconds, or gigabytes, in the first row with exactly this work."""
        return next(row.ours_s for row in self.find(work) if row.work == work and row.ours_s)


def speeds(file: Path = FILE) -> Speeds:
    """The committed table; `ValueError` where there is none, which says how to make it."""
    if not file.exists():
        raise ValueError(f"There is no {file}. `make bench` writes it, in a clone of the course.")
    content = json.loads(file.read_text("utf-8"))
    return Speeds(content["machine"], tuple(Speed(**row) for row in content["rows"]))


def exponent(lengths: Sequence[float], values: Sequence[float]) -> float:
    """The slope of log value against log length, by least squares: 1 is in step, 2 is squared."""
    x, y = ([math.log(number) for number in numbers] for numbers in (lengths, values))
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return rise / sum((a - middle_x) ** 2 for a in x)
