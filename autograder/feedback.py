"""The page a student gets: points and words for every part, never a line of a hidden test.

Whatever a student printed is text here: it is escaped, and a content security policy forbids
scripts, frames and anything from outside, should an escape ever be forgotten.
"""

import html
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry

from autograder.batch import read_record, write_whole
from autograder.chapters import Place, places
from autograder.course import Course
from autograder.gradebook import open_gradebook
from autograder.intake import read_plain_file
from autograder.mend_first import mend_first
from autograder.outcome import Outcome, Part, Record
from autograder.skeleton import Skeleton, titles_of_parts

EXCHANGE_SECRET = "submission_secret.txt"

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --soft: #f3f4f6;
  --line: #d0d7de; --good: #1a7f37; --bad: #b35900; --link: #0550ae }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171a; --text: #e6e8ea; --soft: #22272e;
    --line: #444c56; --good: #4ac26b; --bad: #f0883e; --link: #79b8ff }
}
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; background: var(--back); color: var(--text) }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 0; overflow-wrap: anywhere }
a { color: var(--link) }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .6rem .8rem;
  border-radius: .3rem; font-size: .9rem }
p { margin: .4rem 0 }
summary { cursor: pointer }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}
section {{ border-left: .3rem solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1.6rem 0 }}
section.passed {{ border-color: var(--good) }}
section.failed, section.error, section.timeout, section.out-of-memory {{ border-color: var(--bad) }}
.total {{ font-size: 1.15rem; font-weight: 600 }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="total">{total}</p>
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
    """Write `feedback/<student>/<assignment>/<notebook>.html` for every graded submission.

    Where work came through nbgrader's exchange, the pages can go back through it.
    """
    pages = []
    skeletons = course.skeletons(assignment)
    where = places(course, assignment, skeletons)
    submissions = course.submissions(assignment)
    exchanged = any((folder / EXCHANGE_SECRET).is_file() for folder in submissions.values())
    with open_gradebook(course.db_url, str(course.directories.course_id)) as gradebook:
        for student, submitted in submissions.items():
            record = read_record(course, assignment, student)
            if record is None:
                continue
            human = human_grades(gradebook, record)
            folder = course.path("feedback", student, assignment)
            folder.mkdir(parents=True, exist_ok=True)
            if exchanged:
                _address(folder, submitted)
            for name in dict.fromkeys(part.notebook for part in record.parts):
                path = folder / f"{name}.html"
                write_whole(path, page(record, name, human, where, skeletons))
                pages.append(path)
    return pages


def _address(folder: Path, submitted: Path) -> None:
    """Write the two files from which nbgrader's `release_feedback` knows whose pages these are.

    It stops at the first student without them. Who handed in by another way gets a secret that
    nobody holds, so that the others' pages go out and this one cannot be fetched.
    """
    for name, otherwise in (("timestamp.txt", ""), (EXCHANGE_SECRET, secrets.token_hex(64))):
        try:
            text = read_plain_file(submitted / name).decode()
        except ValueError:
            text = ""
        write_whole(folder / name, text or otherwise)


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
    record: Record,
    notebook: str,
    human: Mapping[tuple[str, str], HumanGrade] | None = None,
    where: Mapping[str, Place] | None = None,
    skeletons: Mapping[str, Skeleton] | None = None,
) -> str:
    """The page of one notebook as HTML."""
    human, where, skeletons = human or {}, where or {}, skeletons or {}
    titles, first = titles_of_parts(skeletons), mend_first(record, skeletons)
    parts = [part for part in record.parts if part.notebook == notebook]
    grades = [human.get((notebook, part.grade_id), HumanGrade()) for part in parts]
    decided = [_points(part, grade) for part, grade in zip(parts, grades, strict=True)]
    total = (
        f"{sum(p for p in decided if p is not None):g} of {sum(p.points for p in parts):g} points"
    )
    if None in decided:
        total += ", not counting parts that are not graded yet"
    notes = [note for note in record.notes if note.notebook in ("", notebook)]
    listed = "".join(f"<li>{safe(note.told(titles))}</li>" for note in notes)
    sections = [
        _section(
            part,
            titles.get(part.grade_id, part.grade_id),
            titles.get(first.get(part.grade_id, ""), ""),
            grade,
            where.get(part.grade_id),
        )
        for part, grade in zip(parts, grades, strict=True)
    ]
    return PAGE.format(
        style=STYLE,
        title=safe(notebook),
        total=safe(total),
        notes=f"<ul>{listed}</ul>" if listed else "",
        parts="\n".join(sections),
    )


def _section(part: Part, title: str, first: str, human: HumanGrade, place: Place | None) -> str:
    points = _points(part, human)
    earned = "not graded yet" if points is None else f"{points:g} of {part.points:g} points"
    ended = "" if part.by_hand else ", partly right" if part.earned else f", {part.outcome}"
    pieces = [f"<h2>{safe(title)}</h2>", f"<p>{safe(earned + ended)}</p>"]
    if first:
        pieces.append(f"<p><strong>First mend what it calls:</strong> {safe(first)}</p>")
    if part.looks_like:
        pieces.append(f"<p><strong>Looks like:</strong> {safe(part.looks_like)}</p>")
    if part.message and part.outcome is not Outcome.PASSED:
        pieces.append(f"<pre>{safe(part.message)}</pre>")
    if place and not part.by_hand and part.outcome not in (Outcome.PASSED, Outcome.GRADER_FAULT):
        pieces.append(f"<p>Read again: {_linked(place)}</p>")
    if human.comment:
        pieces.append(f"<p>{safe(human.comment)}</p>")
    if part.output:
        printed = f"<summary>What your code printed</summary><pre>{safe(part.output)}</pre>"
        pieces.append(f"<details>{printed}</details>")
    kind = part.outcome.replace(" ", "-")
    return f'<section class="{kind}">{"".join(pieces)}</section>'


def _linked(place: Place) -> str:
    words = safe(place.words)
    return f'<a href="{safe(place.address)}">{words}</a>' if place.address else words


def _points(part: Part, human: HumanGrade) -> float | None:
    own = part.score if human.score is None else human.score
    return None if own is None else own + human.extra_credit


def safe(text: str) -> str:
    """Text for HTML, without characters that browsers or terminals act upon."""
    kept = "".join(c if c in "\n\t" or (c >= " " and c != "\x7f") else "\ufffd" for c in text)
    return html.escape(kept)
