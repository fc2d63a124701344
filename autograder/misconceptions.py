"""Tells a learner which known mistake a failed part looks like.

The bank's wrong answers each make one known mistake, and their docstrings say which. They are run
against the tests of their part with a seed that is the same for everybody, and so is every answer
that failed. Where an answer replied to every call as exactly one known mistake does, and failed the
same tests, it looks like that mistake. The learner is told the mistake, never the call.
"""

import ast
import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from autograder.answers import bank_jobs
from autograder.course import CourseError
from autograder.job import Job, environment
from autograder.outcome import Outcome, Part, Record
from autograder.skeleton import Skeleton, parts_of_tests

FOLDER = ".misconceptions"  # in the course: what was found out once
COARSE = ("float16", "bfloat16")  # a tolerance of their own
Heard = dict[str, list[Any]]  # by test: what an answer replied


class Misconceptions:
    """The known mistakes of an assignment and what their answers reply."""

    def __init__(
        self,
        root: Path,
        assignment: str,
        skeletons: Mapping[str, Skeleton],
        files: Mapping[str, str] | None = None,
    ) -> None:
        self.path = root / FOLDER / f"{assignment}.json"
        self._jobs: dict[str, list[Job]] = {}
        with contextlib.suppress(CourseError):  # a bank that is out of date: `bank` tells
            for path, job in bank_jobs(root, assignment, skeletons, files or {}, kinds=("wrong",)):
                self._jobs.setdefault(path.parts[-3], []).append(job)
        texts = [job.to_json() for jobs in self._jobs.values() for job in jobs]
        known = json.dumps([texts, environment()], sort_keys=True)
        self.digest = hashlib.sha256(known.encode()).hexdigest() if texts else ""
        self._parts = parts_of_tests(skeletons)
        self._known: dict[str, dict[str, Heard]] = self._read()  # by part and file
        self._unsaved = False
        self._texts = {
            job.student: _sentence(next(iter(job.answers.values()))[part])
            for part, jobs in self._jobs.items()
            for job in jobs
        }

    def jobs(self, parts: Collection[str] | None = None) -> list[Job]:
        """Wrong answers that have not been run yet, of all parts or of some."""
        return [
            dataclasses.replace(job, bank=self.digest)
            for part, jobs in self._jobs.items()
            if parts is None or part in parts
            for job in jobs
            if job.student not in self._known.get(part, {})
        ]

    def parts_to_explain(self, record: Record) -> set[str]:
        """Parts that failed and have wrong answers in the bank."""
        return {self._parts[name] for name in _failed(record.parts)} & set(self._jobs)

    def learn(self, record: Record) -> None:
        """Take in what a wrong answer replied; `record` comes from one of `jobs`."""
        if not record.faulty:
            self._unsaved = True
            part = Path(record.student).parts[-3]
            self._known.setdefault(part, {})[record.student] = _heard(record.parts)

    def explain(self, record: Record) -> Record:
        """The record with `looks_like` where a failed part replied as one known mistake does."""
        found: dict[str, str] = {}
        for part in {self._parts.get(name, "") for name in _failed(record.parts)}:
            mine = [one for one in record.parts if self._parts.get(one.grade_id) == part]
            heard = _heard(mine)
            texts = {
                self._texts.get(file, "")
                for file, theirs in self._known.get(part, {}).items()
                if _same(heard, theirs)
            }
            if len(texts) == 1:
                found |= dict.fromkeys(heard, texts.pop())
        parts = (
            dataclasses.replace(part, replies=[], looks_like=found.get(part.grade_id, ""))
            for part in record.parts
        )
        return dataclasses.replace(record, parts=tuple(parts))

    def save(self) -> None:
        """Keep what was found out for the next time."""
        from autograder.batch import write_whole

        if self._unsaved:
            self._unsaved = False
            self.path.parent.mkdir(exist_ok=True)
            write_whole(self.path, json.dumps({"digest": self.digest, "known": self._known}))

    def _read(self) -> dict[str, dict[str, Heard]]:
        try:
            kept = json.loads(self.path.read_text("utf-8"))
            known: dict[str, dict[str, Heard]] = kept["known"]
            return known if kept["digest"] == self.digest else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}


def _failed(parts: Collection[Part]) -> list[str]:
    return [p.grade_id for p in parts if p.outcome in (Outcome.FAILED, Outcome.ERROR)]


def _heard(parts: Collection[Part]) -> Heard:
    """What was replied to the tests that failed."""
    names = set(_failed(parts))
    return {part.grade_id: part.replies for part in parts if part.grade_id in names}


def _same(mine: Heard, theirs: Heard) -> bool:
    return (
        mine.keys() == theirs.keys()
        and all(any(reply[0] == "value" for reply in replies) for replies in mine.values())
        and all(alike(replies, theirs[test]) for test, replies in mine.items())
    )


def alike(first: Any, second: Any) -> bool:
    """Whether two values boiled down by `replies` are the same but for rounding."""
    if isinstance(first, dict) and isinstance(second, dict):
        if any(first[name] != second[name] for name in ("kind", "shape", "odd")):
            return False
        tolerance = 1e-2 if first["kind"] in COARSE else 1e-5
        allowed = tolerance * max(first["size"], second["size"]) + 1e-6
        return all(
            abs(a - b) <= allowed for a, b in zip(first["sums"], second["sums"], strict=True)
        )
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(alike, first, second))
    return type(first) is type(second) and bool(first == second)


def _sentence(source: str) -> str:
    try:
        return ast.get_docstring(ast.parse(source)) or ""
    except SyntaxError:
        return ""
