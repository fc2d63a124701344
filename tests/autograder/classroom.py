"""A class for a real assignment: honest, wrong, lazy, damaged and hostile students.

Honest students answer in the styles of the bank's right answers, wrong ones have one part from its
wrong answers, hostile ones one part from `attacks/forgeries.py`. Who hands in what depends on
nothing but the number of students.
"""

import json
import runpy
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.batch import read_record
from autograder.course import Course
from autograder.outcome import Outcome
from autograder.skeleton import Role, Skeleton, bound_names, parts_of_tests

FORGERIES: dict[str, str] = runpy.run_path(str(Path(__file__).parent / "attacks" / "forgeries.py"))[
    "FORGERIES"
]
SLOW = "a message that announces more than it holds"  # waits until its time is up
# In this order over and over, so that a class of any size has its share of each.
KINDS = (
    "honest honest wrong hostile honest damaged wrong honest honest lazy "
    "hostile honest wrong damaged honest honest wrong honest hostile lazy"
).split()


@dataclass(frozen=True)
class Student:
    """What one student hands in; `part` is the one that must not earn all its points."""

    name: str
    kind: str
    notebook: bytes
    part: str = ""
    whole: bool = False  # damaged without losing an answer


def make_class(course: Course, assignment: str, count: int) -> list[Student]:
    """The first `count` students of the endless class."""
    ((_, skeleton),) = course.skeletons(assignment).items()
    bank = course.root / "bank" / assignment
    parts = sorted(path.name for path in bank.iterdir())
    right = {part: sorted((bank / part / "right").glob("*.py")) for part in parts}
    wrong = [path for part in zip(*[sorted((bank / p / "wrong").glob("*.py")) for p in parts],
                                  strict=False) for path in part]  # fmt: skip
    forgeries = [name for name in FORGERIES if name != SLOW or count >= 100]
    students: list[Student] = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        nth = sum(one.kind == kind for one in students)
        answers = skeleton.reference()
        for place, part in enumerate(parts):
            styles = right[part]
            if nth or kind != "honest":  # the very first is the reference itself
                answers[part] = styles[(nth + place) % len(styles)].read_text("utf-8")
        part, whole, damage = "", False, None
        if kind == "wrong":
            path = wrong[nth % len(wrong)]
            part = path.parts[-3]
            answers[part] = path.read_text("utf-8")
        elif kind == "hostile":
            part = parts[nth % len(parts)]
            answers[part] = forged(forgeries[(7 * nth) % len(forgeries)], part, skeleton)
        elif kind == "lazy":
            answers = {}
        elif kind == "damaged":
            damage, whole = DAMAGE[nth % len(DAMAGE)]
        notebook = handed_in(skeleton, answers)
        data = damage(notebook) if damage else json.dumps(notebook, indent=1).encode()
        students.append(Student(f"{number:03}_{kind}", kind, data, part, whole))
    return students


def hand_in(course: Course, assignment: str, students: list[Student]) -> None:
    """Put what they hand in where `grade` looks for it."""
    for student in students:
        folder = course.path("submitted", student.name, assignment)
        folder.mkdir(parents=True)
        (folder / f"{assignment}.ipynb").write_bytes(student.notebook)


def unfair(course: Course, assignment: str, students: list[Student]) -> list[str]:
    """Who did not get what they deserve; points for written answers do not count here."""
    owner = parts_of_tests(course.skeletons(assignment))
    complaints = []
    for student in students:
        record = read_record(course, assignment, student.name)
        if record is None or record.faulty:
            complaints.append(f"{student.name}: no grade")
            continue
        tests = [part for part in record.parts if part.grade_id in owner]
        mine = [part for part in tests if owner[part.grade_id] == student.part]
        lost = sum(part.points - (part.score or 0.0) for part in tests)
        got_mine, all_mine = sum(p.score or 0.0 for p in mine), sum(p.points for p in mine)
        if student.kind == "honest" or student.whole:
            fair = lost == 0
        elif student.kind == "wrong":
            fair = got_mine < all_mine
        elif student.kind == "hostile":
            fair = bool(mine) and got_mine == 0
        elif student.kind == "lazy":
            fair = all(p.outcome is Outcome.NOT_RUN and p.score == 0 for p in tests)
        else:
            fair = lost > 0 and bool(record.notes)
        if not fair:
            short = [(p.grade_id, p.score, p.message[:200]) for p in tests if p.score != p.points]
            complaints.append(f"{student.name}: {short}")
    return complaints


def forged(name: str, part: str, skeleton: Skeleton) -> str:
    """A forgery under the names that the part's reference binds."""
    (source,) = (c.source for c in skeleton.cells if c.grade_id == part)
    text = textwrap.dedent(FORGERIES[name]).replace("def square(x)", "def square(x=0, *a, **k)")
    return text + "".join(f"\n{name} = square" for name in bound_names(source))


def handed_in(skeleton: Skeleton, answers: dict[str, str]) -> dict[str, Any]:
    """The released notebook with a student's answers; hidden tests are not in it."""
    cells = []
    for number, cell in enumerate(skeleton.cells):
        source = answers.get(cell.grade_id, cell.stub) if cell.is_answer else cell.source
        if cell.role is Role.TEST:
            source = source.partition("### BEGIN HIDDEN TESTS")[0]
        item: dict[str, Any] = {
            "cell_type": cell.cell_type,
            "id": cell.cell_id or f"c{number}",
            "metadata": {"nbgrader": dict(cell.marks)} if cell.marks else {},
            "source": source.splitlines(keepends=True),
        }
        if cell.cell_type == "code":
            item |= {"execution_count": None, "outputs": []}
        cells.append(item)
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def _text(notebook: dict[str, Any]) -> bytes:
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode()


def _reversed(notebook: dict[str, Any]) -> bytes:
    return _text({**notebook, "cells": notebook["cells"][::-1]})


def _unmarked(notebook: dict[str, Any]) -> bytes:
    return _text({**notebook, "cells": [{**c, "metadata": {}} for c in notebook["cells"]]})


def _twice(notebook: dict[str, Any]) -> bytes:
    return _text({**notebook, "cells": [c for c in notebook["cells"] for _ in range(2)]})


def _old_format(notebook: dict[str, Any]) -> bytes:
    cells = [{**c, "input": c["source"]} for c in notebook["cells"]]
    for cell in cells:
        del cell["source"]
    return _text({"nbformat": 3, "worksheets": [{"cells": cells}], "metadata": {}})


def _cut(notebook: dict[str, Any]) -> bytes:
    data = _text(notebook)
    return data[: len(data) * 6 // 10]


# What happened to the file, and whether every answer can still be read
DAMAGE: list[tuple[Callable[[dict[str, Any]], bytes], bool]] = [
    (_reversed, True),
    (lambda notebook: _text(notebook).decode().encode("utf-16"), True),
    (_cut, False),
    (_twice, True),
    (lambda notebook: b"\x89PNG\r\n not a notebook", False),
    (_unmarked, True),
    (_old_format, True),
    (lambda notebook: _text(notebook).replace(b"\n", b"\r\n"), True),
]
