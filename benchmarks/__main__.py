"""`python -m benchmarks [part …]`: measure, print one table, write results/latest.json.

A part that is run alone replaces its own rows in the file and leaves the others.
"""

import argparse
import dataclasses
import importlib
import json
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

import torch

from benchmarks.race import Row
from course_lib.tables import aligned

PARTS = ("models", "tokenizers", "generate", "training", "grading", "book")
RESULTS = Path(__file__).parent / "results" / "latest.json"


def main() -> int:
    """Measure the parts asked for; 1 if a row misses its target."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--repeats", type=int, default=5, help="pairs of runs a row")
    parser.add_argument("--only", nargs="*", default=[], help="names within a part, as bert-tiny")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    torch.set_num_threads(2)
    os.environ["OMP_NUM_THREADS"] = "2"
    rows = read(options.results)
    for part in options.parts or PARTS:
        module = importlib.import_module(f"benchmarks.{part}")
        found = []
        for row in module.rows(options.only, options.repeats):
            row = dataclasses.replace(row, work=f"{part}: {row.work}")
            print(line(row), flush=True)
            found.append(row)
        rows = merged(rows, part, found, whole=not options.only)
        write(options.results, rows)
    print()
    print(as_table(rows))
    return int(any(row.met is False for row in rows))


def merged(old: list[Row], part: str, found: list[Row], whole: bool) -> list[Row]:
    """Old rows with the new ones in their place; a part that ran as a whole leaves no old row."""
    new = {row.work for row in found}
    kept = [r for r in old if r.work not in new and not (whole and part_of(r) == part)]
    return sorted([*kept, *found], key=lambda row: PARTS.index(part_of(row)))


def part_of(row: Row) -> str:
    """The part of the table a row belongs to: what its name begins with."""
    return row.work.split(":")[0]


def line(row: Row) -> str:
    """One row while it is fresh."""
    if row.ratio is None:
        return f"{row.work}: {number(row.ours_s)}"
    noise = f"{number(row.ratio)} ± {number(row.spread)}"
    return f"{row.work}: {noise} of {row.peer}, target {number(row.target)}"


def as_table(rows: Iterable[Row]) -> str:
    """All rows for reading."""
    head = ["work", "peer", "ours", "peer's", "ratio", "±", "target", ""]
    verdict = {True: "met", False: "MISSED", None: ""}
    body = [
        [
            row.work,
            row.peer,
            *map(number, (row.ours_s, row.peer_s, row.ratio, row.spread, row.target)),
            verdict[row.met],
        ]
        for row in rows
    ]
    return aligned(head, body, left=2)


def number(value: float | None) -> str:
    """Three digits, or a dash."""
    return "–" if value is None else f"{value:.3g}"


def read(path: Path) -> list[Row]:
    """The rows measured so far."""
    return (
        [Row(**row) for row in json.loads(path.read_text("utf-8"))["rows"]] if path.exists() else []
    )


def write(path: Path, rows: list[Row]) -> None:
    """Everything measured so far, in one move."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    content = {"machine": machine(), "rows": [dataclasses.asdict(row) for row in rows]}
    new.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    new.replace(path)


def machine() -> str:
    """What the numbers were measured on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            x.split(":")[1].strip() for x in info.read_text().splitlines() if "model name" in x
        ]
        model = names[0] if names else model
    versions = f"Python {platform.python_version()}, PyTorch {torch.__version__.split('+')[0]}"
    return f"{model}, {torch.get_num_threads()} threads, {versions}"


if __name__ == "__main__":
    sys.exit(main())
