"""Grading a class: against stock nbgrader on the same submissions, and a large class as it comes.

nbgrader runs one submission after another and trusts what is handed in, so it gets honest, wrong
and untouched notebooks only. Honest students must have the same points from both. The large class
has damaged and hostile students too, and everybody must get what they deserve.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from autograder.course import Course
from autograder.gradebook import open_gradebook
from benchmarks.race import Row
from tests.autograder.classroom import Student, hand_in, make_class, unfair

SOURCE = Path(__file__).parents[1] / "assignments"
ASSIGNMENT = "01_attention_variance"
SMALL, LARGE = 40, 200
TRUSTED = ("honest", "wrong", "lazy")


def rows(only: list[str], repeats: int) -> Iterator[Row]:
    """One run each, whatever `repeats` says: a class is a sample of its own."""
    if not only or "nbgrader" in only:
        yield from against_nbgrader()
    if not only or "class" in only:
        yield large_class()


def against_nbgrader() -> Iterator[Row]:
    """A class graded with two workers, and by `nbgrader autograde` on the same machine.

    Once as it goes after `bank`, which tries an assignment before it is handed out and keeps what
    known mistakes reply, and once without, when grading must run these mistakes first.
    """
    with tempfile.TemporaryDirectory() as folder:
        courses = [new_course(Path(folder, name)) for name in ("ours", "theirs", "untried")]
        everybody = make_class(courses[0], ASSIGNMENT, 2 * SMALL)
        students = [one for one in everybody if one.kind in TRUSTED][:SMALL]
        for course in courses:
            hand_in(course, ASSIGNMENT, students)
        ours, theirs, untried = courses
        run(ours, "autograder", "bank", ASSIGNMENT, "--workers", "2")
        run(theirs, "nbgrader", "generate_assignment", ASSIGNMENT)
        peer_s = run(theirs, "nbgrader", "autograde", ASSIGNMENT)
        ours_s = run(ours, "autograder", "grade", ASSIGNMENT, "--workers", "2")
        honest = {one.name for one in students if one.kind == "honest"}
        first_s = run(untried, "autograder", "grade", ASSIGNMENT, "--workers", "2")
        found, expected, again = (points(course, honest) for course in courses)
        assert found == expected == again and len(found) == len(honest), (found, expected, again)
    work = f"{len(students)} submissions of assignment 01, two workers"
    peer = "nbgrader autograde, one after another"
    yield Row(work, peer, ours_s, peer_s, ours_s / peer_s, None, 0.20)
    work = f"{work}, without `bank` before"
    yield Row(work, peer, first_s, peer_s, first_s / peer_s, None, None)


def large_class() -> Row:
    """A class with hostile and damaged submissions, graded on two workers."""
    with tempfile.TemporaryDirectory() as folder:
        course = new_course(Path(folder, "course"))
        students: list[Student] = make_class(course, ASSIGNMENT, LARGE)
        hand_in(course, ASSIGNMENT, students)
        seconds = run(course, "autograder", "grade", ASSIGNMENT, "--workers", "2")
        complaints = unfair(course, ASSIGNMENT, students)
        assert not complaints, complaints
    work = f"a class of {LARGE}, damaged and hostile included, two workers"
    return Row(work, "", seconds, None, None, None, None)


def new_course(root: Path) -> Course:
    """A course with the assignment, its bank and nobody in it."""
    for name in ("source", "bank"):
        shutil.copytree(SOURCE / name / ASSIGNMENT, root / name / ASSIGNMENT)
    shutil.copy(SOURCE / "nbgrader_config.py", root)
    return Course.load(root)


def run(course: Course, module: str, *arguments: str) -> float:
    """Run a command in the course, one thread a process; its seconds."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=course.root,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    return time.monotonic() - start


def points(course: Course, students: set[str]) -> dict[str, dict[str, float | None]]:
    """What the tests gave, by student and cell."""
    with open_gradebook(course.db_url, str(course.directories.course_id)) as gradebook:
        return {
            row.student.id: {grade.name: grade.auto_score for grade in row.notebooks[0].grades}
            for row in gradebook.assignment_submissions(ASSIGNMENT)
            if row.student.id in students
        }
