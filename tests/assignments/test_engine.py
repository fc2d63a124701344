"""The bank on the path that submissions take, and what happens when a hidden test is weakened."""

import json
import re
import shutil

import pytest
from source_notebooks import FOLDER, NAMES, parts

from autograder.__main__ import main


def copied_course(folder):
    """Source notebooks and bank with a secret that is the same every time."""
    for name in ("source", "bank"):
        shutil.copytree(FOLDER / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(FOLDER / "nbgrader_config.py", folder)
    (folder / "grader_secret").write_text("the same")
    return folder


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return copied_course(tmp_path_factory.mktemp("course"))


def test_a_few_answers_of_every_part_through_the_engine(course, capsys):
    assert main(["bank", "--few", "--course", str(course)]) == 0, capsys.readouterr().err
    shown = capsys.readouterr().out
    for name in NAMES:
        assert name in shown
        for part in parts(name):
            assert re.search(rf"^{part} +2 of 2 +1 of 1 ", shown, re.MULTILINE), part


def test_a_weakened_hidden_test_is_noticed(tmp_path, capsys):
    """Take one hidden block out: answers that pass the visible checks are then taken for right."""
    root = copied_course(tmp_path)
    notebook = root / "source" / "05_gelu" / "05_gelu.ipynb"
    cells = json.loads(notebook.read_text("utf-8"))
    for cell in cells["cells"]:
        if cell["id"] == "gelu_tests":
            hidden = r"    ### BEGIN HIDDEN TESTS\n.*### END HIDDEN TESTS\n"
            text = "".join(cell["source"])
            cell["source"] = re.sub(hidden, "", text, flags=re.DOTALL)
            assert cell["source"] != text
    notebook.write_text(json.dumps(cells), "utf-8")
    for other in (root / "bank" / "05_gelu").iterdir():
        if other.name != "gelu":
            shutil.rmtree(other)
    assert main(["bank", "05", "--course", str(root)]) == 1
    error = capsys.readouterr().err
    assert "MISJUDGED" in error and "was accepted" in error and "was rejected" not in error
