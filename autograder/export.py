"""All grades as a table that spreadsheets and learning platforms read."""

import csv
import io
from pathlib import Path
from typing import Any

from autograder.batch import write_whole
from autograder.course import Course
from autograder.gradebook import open_gradebook

IDENTITY = {
    "plain": ("student", "last name", "first name", "email"),
    "canvas": ("Student", "ID", "SIS Login ID", "Section"),
    "moodle": ("Username", "First name", "Surname", "Email address"),
}
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_grades(course: Course, path: Path, form: str = "plain") -> int:
    """Write one row a student and one column an assignment; the number of students.

    An assignment in which something is not graded yet, by machine or by hand, stays empty: an
    empty cell is a question, a 0 would be a grade.
    """
    text = io.StringIO()
    table = csv.writer(text)
    with open_gradebook(course.db_url, str(course.directories.course_id)) as gradebook:
        assignments = gradebook.assignments
        heads = [*IDENTITY[form], *(one.name for one in assignments)]
        table.writerow(map(harmless, heads))
        if form == "canvas":
            points = [one.max_score for one in assignments]
            table.writerow(["    Points Possible", "", "", "", *points])
        students = sorted(
            gradebook.students, key=lambda one: (one.last_name or "", one.first_name or "", one.id)
        )
        for student in students:
            scores = [_score(student, assignment) for assignment in assignments]
            table.writerow([*map(harmless, _identity(student, form)), *scores])
    write_whole(path, text.getvalue())
    return len(students)


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> harmless("=HYPERLINK(1)"), harmless("ann")
    ("'=HYPERLINK(1)", 'ann')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def _identity(student: Any, form: str) -> list[str]:
    name, first, last, mail = (
        getattr(student, field) or "" for field in ("id", "first_name", "last_name", "email")
    )
    if form == "canvas":
        return [f"{last}, {first}".strip(", "), student.lms_user_id or "", name, ""]
    return [name, first, last, mail] if form == "moodle" else [name, last, first, mail]


def _score(student: Any, assignment: Any) -> float | str:
    for submission in student.submissions:
        if submission.assignment.name == assignment.name:
            if submission.needs_manual_grade:
                return ""
            late = sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks)
            return float(submission.score - late)
    return ""
