"""Results of runs too long for a page: made by `course_lib.runs`, committed, and shown.

A record says how to make it again (command, seed, commit, machine) and when it was made, so a
reader can tell a committed number from one the page has just computed. How a run trains is in
`runs/`; this file only stores and shows.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path

import torch

FOLDER = Path(__file__).parent / "recorded"


@dataclass(frozen=True)
class Record:
    """One run's results: `numbers` by name, `curves` as (step, value) pairs, `texts` as samples.

    `commit` is that at the start of the run, and `seconds` are the processor's, all cores together.
    """

    name: str
    command: str
    seed: int
    commit: str
    machine: str
    date: str
    seconds: float
    numbers: dict[str, float] = field(default_factory=dict)
    curves: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The line that must stand beside any of its numbers."""
        return (
            f"Recorded on {self.date}, not computed on this page: `{self.command}` "
            f"(seed {self.seed}, commit {self.commit}, {self.seconds:.0f} processor seconds on "
            f"{self.machine})."
        )

    def __str__(self) -> str:
        width = max((len(name) for name in self.numbers), default=0)
        lines = [f"{name:<{width}}  {value:g}" for name, value in self.numbers.items()]
        return "\n".join([self.source, *lines])

    def _repr_markdown_(self) -> str:
        rows = [f"| {name} | {value:g} |" for name, value in self.numbers.items()]
        return "\n".join([f"*{self.source}*", "", "| measured | value |", "|---|---:|", *rows])


def recorded(name: str, folder: Path = FOLDER) -> Record:
    """The committed record `name`; `ValueError` lists those that exist."""
    file = folder / f"{name}.json"
    if not file.exists():
        known = ", ".join(sorted(f.stem for f in folder.glob("*.json"))) or "none"
        raise ValueError(f"there is no record {name!r} in {folder}; recorded so far: {known}")
    content = json.loads(file.read_text(encoding="utf-8"))
    expected = {f.name for f in fields(Record)}
    if content.keys() != expected:
        odd = ", ".join(sorted(content.keys() ^ expected))
        raise ValueError(f"{file} does not have the fields of a record; missing or unknown: {odd}")
    content["curves"] = {
        key: [(x, y) for x, y in points] for key, points in content["curves"].items()
    }
    return Record(**content)


def save(record: Record, folder: Path = FOLDER) -> Path:
    """Write a record as JSON, in one move, so that no half-written file is ever read."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{record.name}.json"
    text = json.dumps(asdict(record), ensure_ascii=False, indent=1, allow_nan=False)
    part = file.with_suffix(".part")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(file)
    return file


def curve(
    history: Sequence[dict[str, float]], key: str, points: int = 100
) -> list[tuple[float, float]]:
    """(step, value) pairs of one column of a training history, averaged down to `points`."""
    rows = [(row["step"], row[key]) for row in history if key in row]
    size = -(-len(rows) // points) or 1
    groups = [rows[i : i + size] for i in range(0, len(rows), size)]
    return [
        (group[-1][0], float(f"{sum(value for _, value in group) / len(group):.5g}"))
        for group in groups
    ]


def today() -> str:
    """The date, UTC, as it stands in a record."""
    return datetime.now(UTC).date().isoformat()


def machine() -> str:
    """Processor, cores and versions, without the machine's name."""
    return (
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"torch {torch.__version__.partition('+')[0]}"
    )


def processor() -> str:
    """The processor's model where Linux tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def commit(root: Path = Path(__file__).parent.parent) -> str:
    """The current commit, with "+ changes" if a loaded module of ours differs from it."""
    try:
        head = git(root, "rev-parse", "--short", "HEAD").strip()
        changed = git(root, "status", "--porcelain", "--untracked-files=all").splitlines()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    loaded = {Path(file).resolve() for file in files if file}
    dirty = any((root / line[3:]).resolve() in loaded for line in changed)
    return f"{head} + changes" if dirty else head


def git(root: Path, *arguments: str) -> str:
    """What a git command prints in `root`."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
