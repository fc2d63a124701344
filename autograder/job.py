"""A job: everything that grading one submission depends on, as data that can be sent anywhere."""

import base64
import dataclasses
import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from autograder.outcome import Note, Outcome, Part, Record
from autograder.skeleton import Cell, Role, Skeleton


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Seconds and output count for a part, unless they say in all."""

    seconds: float = 30.0
    cpu_seconds: float = 20.0
    seconds_in_all: float = 300.0
    memory_bytes: int = 2**30  # above what the empty session uses
    scratch_bytes: int = 64 * 2**20
    output_bytes: int = 32 * 2**10  # what is kept; the rest is read and dropped
    reply_bytes: int = 64 * 2**20
    processes: int = 64
    open_files: int = 256


@dataclass(frozen=True)
class Job:
    """One submission with its tests, seed and limits; its record depends on nothing else.

    `files` are the data beside the notebooks, in base64. `bank` stands for the known mistakes that
    failed parts are compared with; without it nothing is compared.
    """

    assignment: str
    student: str
    skeletons: tuple[Skeleton, ...]
    answers: Mapping[str, Mapping[str, str]]
    notes: tuple[Note, ...] = ()
    seed: str = "0"
    limits: Limits = field(default_factory=Limits)
    files: Mapping[str, str] = field(default_factory=dict)
    bank: str = ""

    @property
    def key(self) -> str:
        """Equal for jobs whose records must be equal."""
        text = json.dumps([self.to_json(), environment()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> str:
        """The job as one line of text that `from_json` reads back."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """The job written by `to_json`."""
        fields: dict[str, Any] = json.loads(text)
        fields["skeletons"] = tuple(
            Skeleton(item["name"], tuple(_cell(cell) for cell in item["cells"]))
            for item in fields["skeletons"]
        )
        fields["notes"] = tuple(Note(**note) for note in fields["notes"])
        fields["limits"] = Limits(**fields["limits"])
        return cls(**fields)


def packed(files: Mapping[str, bytes]) -> dict[str, str]:
    """Files as a job carries them."""
    return {name: base64.b64encode(data).decode() for name, data in files.items()}


def unpacked(files: Mapping[str, str]) -> dict[str, bytes]:
    """The files of a job."""
    return {name: base64.b64decode(text) for name, text in files.items()}


def _cell(fields: Mapping[str, Any]) -> Cell:
    return Cell(**{**fields, "role": Role(fields["role"])})


def environment() -> dict[str, str]:
    """Versions a grade may depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("torch", "numpy", "inside-bert-and-gpt"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = ""
    return found


def faulty_record(job: Job, detail: str) -> Record:
    """A record that is no grade: every part waits for the grader to be mended."""
    parts = tuple(
        Part(
            skeleton.name,
            cell.grade_id,
            cell.points,
            Outcome.GRADER_FAULT,
            message="this part could not be graded; your instructor has been told",
            detail=detail,
        )
        for skeleton in job.skeletons
        for cell in skeleton.cells
        if cell.is_part
    )
    answers = {name: dict(cells) for name, cells in job.answers.items()}
    return Record(job.assignment, job.student, parts, job.notes, answers, seed=job.seed)


def preload_for(skeletons: Sequence[Skeleton]) -> tuple[str, ...]:
    """Slow libraries that the notebooks' own cells import."""
    text = "\n".join(cell.source for skeleton in skeletons for cell in skeleton.cells)
    slow = {"course_lib": "course_lib.checks", "matplotlib": "matplotlib.pyplot"}
    return ("torch", "numpy", *(module for word, module in slow.items() if word in text))
