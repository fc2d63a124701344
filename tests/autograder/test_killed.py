"""Killed without warning, wherever it is, and started again: the same records in the end."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from grading import CLASS, SCORES, make_course

from autograder import batch
from autograder.course import Course
from autograder.gradebook import open_gradebook


def start(root):
    command = [sys.executable, "-m", "autograder", "grade", "hw", "--course", str(root)]
    return subprocess.Popen(
        [*command, "--workers", "1"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finish(root):
    process = start(root)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return output


def verdicts(root):
    course = Course.load(root)
    return {name: batch.read_record(course, "hw", name).verdict() for name in CLASS}


def records(root):
    return len(list(root.glob("autograded/*/hw/record.json")))


def test_killed_at_several_moments(tmp_path):
    roots = [make_course(tmp_path / name, CLASS) for name in ("undisturbed", "killed")]
    for root in roots:
        (root / "grader_secret").write_text("the same")
    undisturbed, killed = roots
    finish(undisturbed)
    for enough in (0, 2):  # before the first record, half-way
        process = start(killed)
        while records(killed) < enough and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.communicate()
    before = records(killed)
    output = finish(killed)
    assert f"{len(CLASS) - before} graded, {before} unchanged" in output
    assert verdicts(killed) == verdicts(undisturbed)
    course = Course.load(killed)
    with open_gradebook(course.db_url, "x") as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions("hw")}
    assert scores == SCORES
    assert not list(killed.rglob(".*.ipynb.*")) and not list(killed.rglob(".record*"))
    assert gone(killed)


def gone(root, seconds=60):
    """Whether no process of a killed run is left after a while."""
    for _ in range(seconds * 10):
        lines = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                lines.append(path.read_bytes().decode(errors="replace"))
            except OSError:
                continue
        if not any(str(root) in line for line in lines):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("name", ["autograded", "gradebook.db"])
def test_what_cannot_be_written_is_told(tmp_path, name):
    root = make_course(tmp_path, {"ann": CLASS["ann"]})
    blocked = root / name
    if name == "autograded":
        blocked.write_text("a file where a folder belongs")
    else:
        blocked.mkdir()
    process = start(root)
    output, _ = process.communicate()
    assert process.returncode == 2 and "Traceback" not in output
    assert "autograder:" in output, output
    blocked.unlink() if name == "autograded" else os.rmdir(blocked)
    assert "1 graded" in finish(root)
