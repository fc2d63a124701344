"""The instructor's page: every command line is one, and the grading ones run as written."""

import argparse
import ast
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.apps import CollectApp, ReleaseAssignmentApp, ReleaseFeedbackApp
from nbgrader.apps.dbapp import DbAssignmentAddApp, DbStudentAddApp
from traitlets.config.loader import PyFileConfigLoader

from autograder.__main__ import _parser, main
from tests.autograder.grading import CLASS, SCORES, make_course
from tests.conftest import ROOT

PAGE = (ROOT / "book" / "running_a_class.md").read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if line.strip()
]
OURS = [shlex.split(line)[3:] for line in LINES if line.startswith("python -m autograder ")]
GRADING = ("grade", "feedback", "report", "export")
ASSIGNMENTS = ROOT / "assignments"


@pytest.mark.parametrize("words", OURS, ids=" ".join)
def test_our_commands_parse(words):
    assert isinstance(_parser().parse_args(words), argparse.Namespace)


def test_every_command_that_an_instructor_needs_is_on_the_page():
    shown = {words[0] for words in OURS}
    assert shown >= {"new-course", "release", "collect", "bank", "forget", *GRADING}


@pytest.mark.parametrize(
    ("start", "app"),
    [
        ("nbgrader db assignment add ", DbAssignmentAddApp),
        ("nbgrader db student add ", DbStudentAddApp),
        ("nbgrader release_assignment ", ReleaseAssignmentApp),
        ("nbgrader collect ", CollectApp),
        ("nbgrader release_feedback ", ReleaseFeedbackApp),
    ],
)
def test_nbgraders_commands_parse(start, app):
    (line,) = [line for line in LINES if line.startswith(start)]
    words = shlex.split(line)[len(start.split()) :]
    instance = app()
    instance.parse_command_line(words)
    assert instance.extra_args == words[:1]


def test_other_commands_are_few_and_known():
    rest = [line for line in LINES if not line.startswith(("python -m autograder", "nbgrader "))]
    first = {line.split()[0] for line in rest}
    assert first <= {"sudo", "make", ".", "cd", "jupyter", "dask"}


@pytest.mark.slow
def test_the_grading_commands_run_as_written(tmp_path, monkeypatch):
    """In the page's order, on a small class; what differs is the assignment's name."""
    root = make_course(tmp_path / "class", {name: CLASS[name] for name in ("ann", "bob")})
    monkeypatch.chdir(root)
    for words in OURS:
        elsewhere = {"--scheduler", "--db"} & set(words)
        if words[0] in GRADING and not elsewhere:
            extra = ["--workers", "1"] if words[0] == "grade" else []
            assert main([*("hw" if word == "05" else word for word in words), *extra]) == 0, words
    assert (root / "feedback" / "ann" / "hw" / "nb.html").exists()
    assert (root / "autograded" / "report-hw.html").exists()
    grades = (root / "grades.csv").read_text()
    assert f"ann,,,,{SCORES['ann']}" in grades and f"bob,,,,{SCORES['bob']}" in grades
    assert "Points Possible" in (root / "canvas.csv").read_text()
    assert (root / "moodle.csv").read_text().startswith("Username")


def test_the_hubs_configuration_gives_formgrader_to_instructors_only(tmp_path):
    config = PyFileConfigLoader("jupyterhub_config.py", path=str(ASSIGNMENTS)).load_config()
    assert Path(config.Spawner.cmd[0]) == Path(sys.executable).with_name("jupyterhub-singleuser")
    assert config.Authenticator.admin_users == config.Authenticator.allowed_users == {"teacher"}

    def prepared(name):
        spawner = SimpleNamespace(
            user=SimpleNamespace(name=name), notebook_dir="", args=[], environment={"HUB": "here"}
        )
        config.Spawner.pre_spawn_hook(spawner)
        return spawner

    assert prepared("teacher").notebook_dir == str(ASSIGNMENTS) and prepared("teacher").args == []
    student = prepared("ann")
    assert student.notebook_dir == "" and student.environment == {"HUB": "here"}
    (argument,) = student.args
    switches = ast.literal_eval(argument.removeprefix("--ServerApp.jpserver_extensions="))
    assert switches["nbgrader.server_extensions.formgrader"] is False
    assert all(importlib.util.find_spec(name) for name in switches)

    script = (
        "from nbgrader.apps import NbGrader; app = NbGrader(); app.load_config_file();"
        "print(app.config.CourseDirectory.root)"
    )
    found = subprocess.run(  # as a hub's server does, in the instructor's home
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | prepared("teacher").environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == str(ASSIGNMENTS)
