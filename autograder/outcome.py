"""What can come of a part, and the record of one graded submission.

The two rules every other module leans on live here: a part is worth nothing until something says
otherwise, and a fault of the grader is no grade at all.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a part ended; only `PASSED` can earn full marks."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out of memory"
    NOT_RUN = "not run"
    GRADER_FAULT = "grader fault"


class PartEnded(BaseException):
    """The part is over: no test can catch this as it could an ordinary exception."""

    def __init__(self, outcome: Outcome, message: str) -> None:
        super().__init__(message)
        self.outcome, self.message = outcome, message


@dataclass(frozen=True)
class Note:
    """Something that was mended or looks odd in a submission, told to instructor and student."""

    text: str
    notebook: str = ""
    grade_id: str = ""

    def told(self, titles: Mapping[str, str]) -> str:
        """The note with the title of what it is about in front."""
        place = titles.get(self.grade_id, self.grade_id)
        return f"{place}: {self.text}" if place else self.text


@dataclass(frozen=True)
class Part:
    """One graded cell: its points, how it ended, and the words that go with it.

    `message` is for the student, `detail` for the instructor only (it may quote hidden tests).
    `replies` is what a failed part's tests heard, and `looks_like` the known mistake that is.
    `earned` is partial credit and counts only where the outcome is `FAILED`: a part that earns
    everything has passed, and every other ending earns nothing.
    """

    notebook: str
    grade_id: str
    points: float
    outcome: Outcome = Outcome.NOT_RUN
    earned: float = 0.0
    by_hand: bool = False
    message: str = ""
    detail: str = ""
    output: str = ""
    looks_like: str = ""
    replies: list[Any] = dataclasses.field(default_factory=list)

    @property
    def score(self) -> float | None:
        """The points to enter in the gradebook; None where a human has to decide."""
        if self.by_hand or self.outcome is Outcome.GRADER_FAULT:
            return None
        if self.outcome is Outcome.PASSED:
            return self.points
        return self.earned if self.outcome is Outcome.FAILED else 0.0


@dataclass(frozen=True)
class Record:
    """All that came of grading one submission, as JSON-friendly data.

    `answers` holds the graded text of every solution cell by notebook and grade_id, so that a
    record alone explains its grades. Seconds are kept in `timings`, apart from what must be equal
    when the same submission is graded again.
    """

    assignment: str
    student: str
    parts: tuple[Part, ...]
    notes: tuple[Note, ...] = ()
    answers: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    seed: str = "0"
    hashes: dict[str, str] = dataclasses.field(default_factory=dict)
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    timings: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def score(self) -> float:
        """The sum of what is decided so far."""
        return sum(part.score or 0.0 for part in self.parts)

    @property
    def points(self) -> float:
        """The sum of what can be earned."""
        return sum(part.points for part in self.parts)

    @property
    def faulty(self) -> bool:
        """Whether a fault of the grader keeps this record from being a grade."""
        return any(part.outcome is Outcome.GRADER_FAULT for part in self.parts)

    def verdict(self) -> dict[str, Any]:
        """Everything but the timings: equal for equal submission, tests, seed and environment."""
        fields = dataclasses.asdict(self)
        del fields["timings"]
        return fields

    def to_json(self) -> str:
        """The record as text that `from_json` reads back."""
        return json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Record":
        """The record written by `to_json`; a text of another form is a `ValueError`."""
        try:
            fields = json.loads(text)
            fields["notes"] = tuple(Note(**note) for note in fields["notes"])
            fields["parts"] = tuple(
                Part(**{**part, "outcome": Outcome(part["outcome"])}) for part in fields["parts"]
            )
            return cls(**fields)
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is not a grading record: {error!r}") from error


def partial_credit(value: object, points: float) -> float | None:
    """Points that a test cell's last value gives, or None where it is no valid partial credit.

    Only a finite number from 0 to `points` counts. Anything else must never be mistaken for full
    marks, so the caller treats None as a fault of the test.
    """
    if type(value).__module__ in ("numpy", "torch") and getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]  # a scalar; never a student's object
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= points else None  # nan is in no range
