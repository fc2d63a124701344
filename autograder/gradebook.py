"""Writes records into nbgrader's gradebook, SQLite or PostgreSQL, each in one transaction.

A regrade replaces every automatic score it covers and keeps what humans entered: manual scores,
extra credit and comments. A fault of the grader empties the score, so that no old one is mistaken
for a new one, and leaves the part waiting for a person.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader import api
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from autograder.outcome import Part, Record
from autograder.skeleton import Role, Skeleton

PATIENCE = (0.5, 1.0, 2.0, 4.0)  # seconds between attempts while another program holds the lock
Penalty = Callable[[str, float, float], float]  # student, score, seconds late


class GradebookError(RuntimeError):
    """The gradebook cannot be read or written; what is in it is unchanged."""


@dataclass(frozen=True)
class Change:
    """An automatic score that a record replaces."""

    notebook: str
    grade_id: str
    before: float | None
    after: float | None


@contextmanager
def open_gradebook(db_url: str, course_id: str = "default_course") -> Iterator[Any]:
    """nbgrader's gradebook; created where there is none."""
    here = str(Path(sys.executable).parent)  # nbgrader calls `alembic` by name
    if here not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", os.defpath)])
    try:
        gradebook = api.Gradebook(db_url, course_id)
    except (SQLAlchemyError, OSError) as error:
        raise GradebookError(f"the gradebook cannot be opened: {_reason(error)}") from error
    try:
        yield gradebook
    finally:
        gradebook.close()


def sync_assignment(gradebook: Any, assignment: str, skeletons: Mapping[str, Skeleton]) -> None:
    """Make the gradebook know the assignment's notebooks, cells and points as the source has them.

    Cells that have gone stay, because old submissions refer to them, but count nothing more.
    """

    def work() -> None:
        gradebook.update_or_create_assignment(assignment)
        for name, skeleton in skeletons.items():
            gradebook.update_or_create_notebook(name, assignment)
            for cell in skeleton.cells:
                place = (cell.grade_id, name, assignment)
                if cell.marks.get("task"):
                    gradebook.update_or_create_task_cell(
                        *place, max_score=cell.points, cell_type=cell.cell_type
                    )
                    continue
                if cell.is_part:
                    gradebook.update_or_create_grade_cell(
                        *place, max_score=cell.points, cell_type=cell.cell_type
                    )
                if cell.is_answer:
                    gradebook.update_or_create_solution_cell(*place)
                if cell.grade_id:
                    gradebook.update_or_create_source_cell(
                        *place,
                        cell_type=cell.cell_type,
                        source=cell.stub if cell.is_answer else cell.source,
                        locked=cell.role in (Role.LOCKED, Role.TEST),
                    )
            known = {cell.grade_id for cell in skeleton.cells if cell.is_part}
            for old in gradebook.find_notebook(name, assignment).grade_cells:
                if old.name not in known:
                    old.max_score = 0.0
        gradebook.db.commit()

    _patiently(gradebook, work)


def pending_changes(gradebook: Any, record: Record) -> list[Change]:
    """What `save` would replace."""
    before = _scores(gradebook, record)
    return [
        Change(part.notebook, part.grade_id, before.get(key), part.score)
        for part in record.parts
        if before.get(key := (part.notebook, part.grade_id)) != part.score
    ]


def save(
    gradebook: Any,
    record: Record,
    timestamp: datetime | None = None,
    penalty: Penalty | None = None,
    answers_changed: bool = True,
) -> None:
    """Write a record: all of it, or, when anything goes wrong, nothing of it."""
    _patiently(gradebook, lambda: _save(gradebook, record, timestamp, penalty, answers_changed))


def _save(
    gradebook: Any,
    record: Record,
    timestamp: datetime | None,
    penalty: Penalty | None,
    answers_changed: bool,
) -> None:
    db = gradebook.db
    submission = _submission(gradebook, record)
    submission.timestamp = timestamp
    parts = {(part.notebook, part.grade_id): part for part in record.parts}
    for notebook in submission.notebooks:
        name = notebook.notebook.name
        rows = _rows(db, notebook)
        score = 0.0
        for cell, grade in rows["grades"]:
            part = parts.get((name, cell.name))
            _enter(grade, part, answers_changed)
            score += _counted(grade)
        stubs = {cell.name: cell.source for cell in notebook.notebook.source_cells}
        for cell, comment in rows["comments"]:
            comment.auto_comment = _comment(record, name, cell.name, stubs.get(cell.name, ""))
        seconds = _seconds_late(submission)
        late = penalty(record.student, score, seconds) if penalty and seconds > 0 else None
        notebook.late_submission_penalty = late
    db.commit()


def _submission(gradebook: Any, record: Record) -> Any:
    """The submission's row, made within the running transaction where there is none."""
    db = gradebook.db
    assignment = db.query(api.Assignment).filter_by(name=record.assignment).one()
    student = db.get(api.Student, record.student)
    if student is None:
        student = api.Student(id=record.student)
        db.add(student)
    submission = (
        db.query(api.SubmittedAssignment)
        .filter_by(assignment_id=assignment.id, student_id=record.student)
        .one_or_none()
    )
    if submission is None:
        submission = api.SubmittedAssignment(assignment=assignment, student=student)
        db.add(submission)
    present = {notebook.notebook_id for notebook in submission.notebooks}
    for notebook in assignment.notebooks:
        if notebook.id not in present:
            db.add(api.SubmittedNotebook(notebook=notebook, assignment=submission))
    db.flush()
    return submission


def _rows(db: Any, notebook: Any) -> dict[str, list[tuple[Any, Any]]]:
    """Cells of the notebook with this submission's grade or comment, made where missing."""
    source = notebook.notebook
    grades = {grade.cell_id: grade for grade in notebook.grades}
    comments = {comment.cell_id: comment for comment in notebook.comments}
    rows: dict[str, list[tuple[Any, Any]]] = {"grades": [], "comments": []}
    for cell in [*source.grade_cells, *source.task_cells]:
        if cell.id not in grades:
            grades[cell.id] = api.Grade(cell_id=cell.id, notebook=notebook)
            db.add(grades[cell.id])
        rows["grades"].append((cell, grades[cell.id]))
    for cell in [*source.solution_cells, *source.task_cells]:
        if cell.id not in comments:
            comments[cell.id] = api.Comment(cell_id=cell.id, notebook=notebook)
            db.add(comments[cell.id])
        rows["comments"].append((cell, comments[cell.id]))
    return rows


def _enter(grade: Any, part: Part | None, answers_changed: bool) -> None:
    """Replace the automatic score. A part unknown to the record is worth nothing."""
    before = grade.auto_score
    grade.auto_score = part.score if part else 0.0
    if grade.manual_score is None:
        grade.needs_manual_grade = grade.auto_score is None
    elif answers_changed or before != grade.auto_score:  # a person should look again
        grade.needs_manual_grade = True


def _counted(grade: Any) -> float:
    own = grade.auto_score if grade.manual_score is None else grade.manual_score
    return (own or 0.0) + (grade.extra_credit or 0.0)


def _comment(record: Record, notebook: str, grade_id: str, stub: str) -> str | None:
    if record.answers.get(notebook, {}).get(grade_id, "").strip() in ("", stub.strip()):
        return "No response."
    notes = [
        note.text for note in record.notes if (note.notebook, note.grade_id) == (notebook, grade_id)
    ]
    return "\n".join(notes) or None


def _seconds_late(submission: Any) -> float:
    due = submission.assignment.duedate
    if due is None or submission.timestamp is None:
        return 0.0
    extension = submission.extension.total_seconds() if submission.extension else 0.0
    return max(0.0, (submission.timestamp - due).total_seconds() - extension)


def _scores(gradebook: Any, record: Record) -> dict[tuple[str, str], float | None]:
    try:
        submission = gradebook.find_submission(record.assignment, record.student)
    except api.MissingEntry:
        return {}
    return {
        (notebook.notebook.name, grade.cell.name): grade.auto_score
        for notebook in submission.notebooks
        for grade in notebook.grades
    }


def _patiently(gradebook: Any, work: Callable[[], None]) -> None:
    """Do the work, again after a while where the database was locked; roll back what failed."""
    for pause in (*PATIENCE, None):
        try:
            work()
            return
        except OperationalError as error:
            gradebook.db.rollback()
            if pause is None or "locked" not in str(error):
                raise GradebookError(f"the gradebook was not changed: {_reason(error)}") from error
            time.sleep(pause)
        except BaseException:
            gradebook.db.rollback()
            raise


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]
