"""The page a student gets: points and words for every part, never a line of a hidden test.

Whatever a student printed is text here: it is escaped, and a content security policy forbids
scripts, frames and anything from outside, should an escape ever be forgotten.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry

from autograder.batch import read_record, write_whole
from autograder.course import Course
from autograder.gradebook import open_gradebook
from autograder.outcome import Outcome, Part, Record

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem }}
section {{ border-left: .3rem solid #767676; padding-left: 1rem; margin: 1.5rem 0 }}
section.passed {{ border-color: #1a7f37 }}
section.failed, section.error {{ border-color: #b35900 }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; background: #f3f3f3; padding: .6rem }}
h2 {{ font-size: 1.1rem; margin-bottom: .2rem }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{total}</p>
{notes}
{parts}
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class HumanGrade:
    """What a person entered in the gradebook for a part."""

    score: float | None = None
    extra_credit: float = 0.0
    comment: str = ""


def write_feedback(course: Course, assignment: str) -> list[Path]:
    """Write `feedback/<student>/<assignment>/<notebook>.html` for every graded submission."""
    pages = []
    with open_gradebook(course.db_url, str(course.directories.course_id)) as gradebook:
        for student in course.submissions(assignment):
            record = read_record(course, assignment, student)
            if record is None:
                continue
            human = human_grades(gradebook, record)
            folder = course.path("feedback", student, assignment)
            folder.mkdir(parents=True, exist_ok=True)
            for name in dict.fromkeys(part.notebook for part in record.parts):
                path = folder / f"{name}.html"
                write_whole(path, page(record, name, human))
                pages.append(path)
    return pages


def human_grades(gradebook: Any, record: Record) -> dict[tuple[str, str], HumanGrade]:
    """Manual scores and comments by notebook and grade_id."""
    try:
        submission = gradebook.find_submission(record.assignment, record.student)
    except MissingEntry:
        return {}
    found: dict[tuple[str, str], HumanGrade] = {}
    for notebook in submission.notebooks:
        comments = {c.cell.name: c.manual_comment or "" for c in notebook.comments}
        for grade in notebook.grades:
            name = grade.cell.name
            found[notebook.notebook.name, name] = HumanGrade(
                grade.manual_score, grade.extra_credit or 0.0, comments.get(name, "")
            )
    return found


def page(
    record: Record, notebook: str, human: Mapping[tuple[str, str], HumanGrade] | None = None
) -> str:
    """The page of one notebook as HTML."""
    human = human or {}
    parts = [part for part in record.parts if part.notebook == notebook]
    grades = [human.get((notebook, part.grade_id), HumanGrade()) for part in parts]
    decided = [_points(part, grade) for part, grade in zip(parts, grades, strict=True)]
    total = (
        f"{sum(p for p in decided if p is not None):g} of {sum(p.points for p in parts):g} points"
    )
    if None in decided:
        total += ", not counting parts that are not graded yet"
    notes = [note for note in record.notes if note.notebook in ("", notebook)]
    listed = "".join(f"<li>{safe(_placed(note.grade_id, note.text))}</li>" for note in notes)
    return PAGE.format(
        title=safe(notebook),
        total=safe(total),
        notes=f"<ul>{listed}</ul>" if listed else "",
        parts="\n".join(map(_section, parts, grades)),
    )


def _section(part: Part, human: HumanGrade) -> str:
    points = _points(part, human)
    earned = "not graded yet" if points is None else f"{points:g} of {part.points:g} points"
    ended = "" if part.by_hand else f", {part.outcome}"
    pieces = [f"<h2>{safe(part.grade_id)}</h2>", f"<p>{safe(earned + ended)}</p>"]
    if part.message and part.outcome is not Outcome.PASSED:
        pieces.append(f"<pre>{safe(part.message)}</pre>")
    if human.comment:
        pieces.append(f"<p>{safe(human.comment)}</p>")
    if part.output:
        pieces.append(
            f"<details><summary>Printed</summary><pre>{safe(part.output)}</pre></details>"
        )
    kind = part.outcome.replace(" ", "-")
    return f'<section class="{kind}">{"".join(pieces)}</section>'


def _points(part: Part, human: HumanGrade) -> float | None:
    own = part.score if human.score is None else human.score
    return None if own is None else own + human.extra_credit


def _placed(place: str, text: str) -> str:
    return f"{place}: {text}" if place else text


def safe(text: str) -> str:
    """Text for HTML, without characters that browsers or terminals act upon."""
    kept = "".join(c if c in "\n\t" or (c >= " " and c != "\x7f") else "\ufffd" for c in text)
    return html.escape(kept)
