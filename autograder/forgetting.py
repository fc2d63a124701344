"""Removes all that a course keeps about a student.

Submissions, in the exchange too, autograded notebooks with their records, feedback, rows of the
gradebook, and the place in reports, which are written again. What an instructor wrote elsewhere,
such as exported tables, is found and named, and stays.
"""

import glob
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry
from sqlalchemy import text

from autograder.course import Course, CourseError
from autograder.feedback import safe
from autograder.gradebook import open_gradebook
from autograder.report import write_report

STEPS = ("submitted", "autograded", "feedback")


@dataclass(frozen=True)
class Kept:
    """What a course keeps about a student."""

    paths: tuple[Path, ...]
    in_gradebook: tuple[str, ...]  # assignments
    has_row: bool  # in the gradebook, even without a submission

    def __bool__(self) -> bool:
        return bool(self.paths) or self.has_row


def kept(course: Course, student: str) -> Kept:
    """Find what the course keeps about a student; nothing is changed."""
    with open_gradebook(course.db_url, str(course.directories.course_id)) as gradebook:
        row = _row(gradebook, student)
        assignments = [one.assignment.name for one in row.submissions] if row else []
    return Kept(tuple(_paths(course, student)), tuple(sorted(assignments)), row is not None)


def forget(course: Course, student: str) -> None:
    """Remove it. The gradebook comes last, so that a run that was stopped can be repeated."""
    for path in _paths(course, student):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        if path.parent.name == student and not any(path.parent.iterdir()):
            path.parent.rmdir()
    reports = course.root / str(course.directories.autograded_directory)
    for report in reports.glob("report-*.html"):
        if safe(student) in report.read_text("utf-8"):
            try:
                write_report(course, report.stem.removeprefix("report-"))
            except CourseError:  # it was about nobody else
                report.unlink()
    with open_gradebook(course.db_url, str(course.directories.course_id)) as gradebook:
        if _row(gradebook, student):
            gradebook.remove_student(student)
            if gradebook.db.bind.dialect.name == "sqlite":  # else deleted rows stay in the file
                gradebook.db.execute(text("vacuum"))


def still_named(course: Course, student: str) -> list[Path]:
    """Files of the course that hold the student's id as a word; tests and answers apart."""
    word = re.compile(rb"(?<![\w.@-])" + re.escape(student.encode()) + rb"(?![\w.@-])")
    ours = [course.path(step, ".", ".") for step in ("source", "release")] + [course.root / "bank"]
    return [
        path
        for path in sorted(course.root.rglob("*"))
        if path.is_file()
        and not any(folder in path.parents for folder in ours)
        and word.search(path.read_bytes())
    ]


def _paths(course: Course, student: str) -> Iterator[Path]:
    if Path(student).name != student or student in ("", ".."):
        raise CourseError(f"{student!r} is no student's id")
    name = glob.escape(student)
    for step in STEPS:
        yield from sorted(map(Path, glob.glob(str(course.path(step, name, "*")))))
    exchange = course.root / course.config.Exchange.get("root", "exchange")
    inbound = exchange / str(course.directories.course_id) / "inbound"
    yield from sorted(inbound.glob(f"{name}+*"))


def _row(gradebook: Any, student: str) -> Any:
    try:
        return gradebook.find_student(student)
    except MissingEntry:
        return None
