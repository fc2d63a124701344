"""One class, graded three ways: killed and resumed, on PostgreSQL, on a Dask cluster.

Honest students get all their points, forgeries none, and every record is the same each time.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from classroom import hand_in, make_class, unfair
from distributed import LocalCluster

from autograder import batch
from autograder.__main__ import main
from autograder.course import Course
from autograder.gradebook import open_gradebook

SOURCE = Path(__file__).parents[2] / "assignments"
ASSIGNMENT = "01_attention_variance"
COUNT = 24


def make_course(root):
    for name in ("source", "bank"):
        shutil.copytree(SOURCE / name / ASSIGNMENT, root / name / ASSIGNMENT)
    for name in ("nbgrader_config.py", "chapters.json"):
        shutil.copy(SOURCE / name, root)
    (root / "grader_secret").write_text("the same")
    course = Course.load(root)
    students = make_class(course, ASSIGNMENT, COUNT)
    hand_in(course, ASSIGNMENT, students)
    return course, students


def records(course):
    found = {s: batch.read_record(course, ASSIGNMENT, s) for s in course.submissions(ASSIGNMENT)}
    assert all(found.values())
    return found


def verdicts(course):
    return {name: record.verdict() for name, record in records(course).items()}


def scores(course):
    with open_gradebook(course.db_url, "inside_bert_and_gpt") as gradebook:
        rows = gradebook.assignment_submissions(ASSIGNMENT)
        return {row.student.id: row.score for row in rows}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The class on SQLite; the first run is killed when a third is done."""
    course, students = make_course(tmp_path_factory.mktemp("sqlite"))
    command = [sys.executable, "-m", "autograder", "grade", "01", "--workers", "2"]
    command += ["--course", str(course.root)]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    done = f"autograded/*/{ASSIGNMENT}/record.json"
    while first.poll() is None and len(list(course.root.glob(done))) < COUNT // 3:
        time.sleep(0.05)
    assert first.poll() is None, first.stderr.read()
    first.send_signal(signal.SIGKILL)
    first.wait()
    first.stderr.close()
    before = len(list(course.root.glob(done)))
    second = subprocess.run(command, capture_output=True, text=True)
    assert second.returncode == 0, second.stderr
    assert f"{COUNT - before} graded, {before} unchanged" in second.stdout
    return course, students


def test_honest_exact_forged_nothing_wrong_less(graded):
    course, students = graded
    assert {s.kind for s in students} == {"honest", "wrong", "hostile", "lazy", "damaged"}
    assert unfair(course, ASSIGNMENT, students) == []


def test_some_wrong_answers_are_told_what_they_look_like(graded):
    course, students = graded
    found = records(course)
    told = {s.name: {p.looks_like for p in found[s.name].parts} - {""} for s in students}
    assert not any(told[s.name] for s in students if s.kind in ("honest", "lazy"))
    assert sum(bool(told[s.name]) for s in students if s.kind == "wrong") >= 2


def test_hidden_tests_are_found_nowhere_a_student_can_look(graded):
    course, _ = graded
    for command in ("feedback", "release", "report"):
        assert main([command, "01", "--course", str(course.root)]) == 0
    source = (course.root / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text("utf-8")
    canaries = set(re.findall(r"canary-\d\d-[0-9a-f]{12}", source))
    assert len(canaries) >= 8
    for folder in ("feedback", "release"):
        paths = [path for path in (course.root / folder).rglob("*") if path.is_file()]
        assert paths
        for path in paths:
            shown = path.read_bytes()
            assert not [canary for canary in canaries if canary.encode() in shown], path
    for record in records(course).values():
        seen = [p.message + p.output + p.looks_like for p in record.parts]
        seen += [text for cells in record.outputs.values() for text in cells.values()]
        assert "canary" not in "".join(seen)


def test_the_report_calls_parts_by_their_headings(graded):
    course, _ = graded
    assert main(["report", "01", "--course", str(course.root)]) == 0
    report = (course.root / "autograded" / f"report-{ASSIGNMENT}.html").read_text()
    parts = {part.grade_id for record in records(course).values() for part in record.parts}
    assert "<h3>Part 1 · Measure</h3>" in report
    assert not [part for part in parts if f">{part}<" in report]


def test_the_same_records_on_postgresql_and_on_a_cluster(graded, server, tmp_path):
    course, _ = graded
    there, _ = make_course(tmp_path / "there")
    shutil.copytree(course.root / ".misconceptions", there.root / ".misconceptions")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        command = ["grade", "01", "--course", str(there.root), "--db", server]
        assert main([*command, "--scheduler", cluster.scheduler_address]) == 0
    assert verdicts(there) == verdicts(course)
    assert scores(Course.load(there.root, server)) == scores(course)
    assert not os.path.exists(there.root / "gradebook.db")
