"""A learner's own notebooks: laid out, checked, remembered, and every slip told in plain words."""

import json
import sys

import pytest

from autograder import own_work
from autograder.__main__ import main
from tests.autograder.grading import REFERENCE, SKELETON, cell, hand_in, make_course, notebook

ESSAY = cell("by hand", "", "essay", 4.0, cell_type="markdown")
WHOLE = type(SKELETON)("hw", (*SKELETON.cells, ESSAY))
HALF = {**REFERENCE, "add": "def add(x, y): return min(x + y, 9)", "essay": WHOLE.cells[-1].stub}


@pytest.fixture
def course(tmp_path):
    """A course of one assignment with data, and the commands bound to it."""
    root = make_course(tmp_path / "course", {}, WHOLE)
    (root / "source" / "hw" / "nb.ipynb").rename(root / "source" / "hw" / "hw.ipynb")
    (root / "source" / "hw" / "text.txt").write_text("some data")
    return root


def run(course, *words):
    return main([*words, "--course", str(course)])


def own(course):
    return course.parent / "work" / "hw" / "hw.ipynb"


def sources(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [(one["id"], "".join(one["source"])) for one in cells]


def test_what_is_laid_out_is_what_a_release_hands_out(course, capsys):
    assert run(course, "start") == 0
    assert "hw.ipynb" in capsys.readouterr().out
    assert run(course, "release", "hw") == 0
    assert sources(own(course)) == sources(course / "release" / "hw" / "hw.ipynb")
    assert "canary" not in own(course).read_text("utf-8")
    assert (own(course).parent / "text.txt").read_text() == "some data"


def test_nothing_is_written_over_unless_it_was_put_aside(course, capsys):
    run(course, "start")
    fresh = own(course).read_bytes()
    own(course).write_text("mine")
    assert run(course, "start") == 0
    assert own(course).read_text() == "mine"
    assert run(course, "start", "--afresh", "hw") == 0
    assert own(course).read_bytes() == fresh
    assert (own(course).parent / "hw.old1.ipynb").read_text() == "mine"


def test_progress_checks_only_what_changed(course, capsys, monkeypatch):
    run(course, "start")
    capsys.readouterr()
    ran = []
    run_jobs = own_work.run_jobs
    monkeypatch.setattr(
        own_work, "run_jobs", lambda jobs, *rest: ran.append(len(jobs)) or run_jobs(jobs, *rest)
    )

    def shown():
        assert run(course, "progress") == 0
        return capsys.readouterr().out

    assert "not begun" in shown() and ran == []
    hand_in(own(course).parent, notebook(WHOLE, HALF), "hw")
    first = shown()
    assert "hw          1 of 3       3   9  add: large: 0 of 2 points" in first
    assert "3 of 9 points; 0 of 1 assignments done" in first
    assert shown().endswith(first.split("\n", 1)[1]) and ran == [1]
    hand_in(own(course).parent, notebook(WHOLE, {**REFERENCE, "essay": WHOLE.cells[-1].stub}), "hw")
    assert "2 of 3" in shown() and ran == [1, 1]
    hand_in(own(course).parent, notebook(WHOLE, {**REFERENCE, "essay": "Because."}), "hw")
    last = shown()
    assert "1 of 1 assignments done" in last
    assert "4 more points are for texts that a person grades" in last


def test_check_by_name_is_remembered_and_tells_of_edited_tests(course, capsys, monkeypatch):
    run(course, "start")
    text = own(course).read_text("utf-8")
    assert text.count("close(double") == 1
    own(course).write_text(text.replace("close(double", "0 and close(double"))
    assert run(course, "check", "hw") == 1
    shown = capsys.readouterr().out
    assert "note: double: the locked cell here is not the one of the course" in shown
    assert "add: the locked cell" not in shown
    assert "0 of 9 points" in shown
    monkeypatch.setattr(own_work, "run_jobs", lambda *_: pytest.fail("was checked again"))
    assert run(course, "progress") == 0


def test_slips_are_told_in_plain_words(course, capsys, tmp_path):
    def complaint(*words):
        assert main(list(words)) == 2
        error = capsys.readouterr().err
        assert "Traceback" not in error
        return error

    here = ["--course", str(course)]
    assert "say what to check" in complaint("check", *here)
    assert "no assignment '77'; there are: hw" in complaint("check", "77", *here)
    assert "`make lab` lays it out" in complaint("check", "hw", *here)
    assert "there is no notebook nowhere.ipynb" in complaint("check", "nowhere.ipynb", *here)
    assert "is no course" in complaint("check", "hw", "--course", str(tmp_path))
    assert "is no course" in complaint("progress", "--course", str(tmp_path))
    assert "to put aside" in complaint("start", "--afresh", "hw", *here)
    assert "say which assignment" in complaint("start", "--afresh", *here)
    garbage = hand_in(tmp_path, "no notebook at all", "hw") / "hw.ipynb"
    assert "has none of its cells" in complaint("check", str(garbage), *here)
    garbage = hand_in(tmp_path, "no notebook at all", "other") / "other.ipynb"
    assert "no notebook that can be read" in complaint("check", str(garbage), *here)
    plain = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    plain = hand_in(tmp_path, plain, "plain") / "plain.ipynb"
    assert "none of its cells earns points" in complaint("check", str(plain), *here)


@pytest.mark.parametrize("words", [["check", "hw"], ["progress", "--no-sandbox"], ["grade", "hw"]])
def test_elsewhere_than_on_linux_it_is_said(course, capsys, monkeypatch, words):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert run(course, *words) == 2
    assert "Linux only" in capsys.readouterr().err
