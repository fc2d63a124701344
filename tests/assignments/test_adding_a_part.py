"""CONTRIBUTING's recipe for a new part, followed to the letter: the bank judges it as it should."""

import json
import re
import shutil

import nbformat
import pytest
import tidy_assignment
from source_notebooks import FOLDER

from autograder.bank import try_bank
from autograder.course import Course
from tests.conftest import ROOT

NAME = "05_gelu"
SECTION = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Adding to an assignment\n")[1]
(TEXT,) = re.findall(r"```md\n(.*?)```", SECTION.split("\n## Commits")[0], re.DOTALL)
SOLUTION, TESTS, WRONG, RIGHT = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
MARKS = {"schema_version": 3, "task": False}


@pytest.fixture
def course(tmp_path):
    """A course of this assignment alone, with the new part as JupyterLab leaves it."""
    root = tmp_path / "assignments"
    shutil.copytree(FOLDER / "source" / NAME, root / "source" / NAME)
    shutil.copy(FOLDER / "nbgrader_config.py", root)
    answers = {"wrong/both_sides": WRONG, "right/one_formula": RIGHT, "right/reference": SOLUTION}
    for name, answer in answers.items():
        path = root / "bank" / NAME / "relu_gap" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(answer, "utf-8")
    path = root / "source" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    answer = MARKS | {"grade_id": "relu_gap", "solution": True, "grade": False, "locked": False}
    tests = MARKS | {"grade_id": "relu_gap_tests", "solution": False, "grade": True, "points": 1}
    new = [
        nbformat.v4.new_markdown_cell(TEXT.strip()),
        nbformat.v4.new_code_cell(
            SOLUTION.strip(), metadata={"nbgrader": answer, "scrolled": True}, execution_count=3
        ),
        nbformat.v4.new_code_cell(
            TESTS.strip(), metadata={"nbgrader": tests | {"locked": True}},
            outputs=[nbformat.v4.new_output("stream", text="The checks you can see pass.\n")],
        ),
    ]  # fmt: skip
    place = next(i for i, one in enumerate(notebook.cells) if one.id == "verdict_text")
    notebook.cells[place:place] = new
    nbformat.write(notebook, path)
    assert tidy_assignment.main([str(path)]) == 0
    return Course.load(root)


def test_the_notebook_is_as_the_others_are(course):
    path = course.root / "source" / NAME / f"{NAME}.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert {"relu_gap_text", "relu_gap", "relu_gap_tests"} <= {one["id"] for one in cells}
    for one in cells:
        assert set(one["metadata"]) <= {"nbgrader"}
        assert one["cell_type"] == "markdown" or (one["outputs"], one["execution_count"]) == (
            [],
            None,
        )
    old = json.loads((FOLDER / "source" / NAME / path.name).read_text("utf-8"))["cells"]
    assert [one for one in cells if not one["id"].startswith("relu_gap")] == old


def test_the_bank_judges_the_new_part(course):
    tried = try_bank(course, [NAME])
    assert [one.passed for one in tried] == [one.should_pass for one in tried]
    assert len(tried) == 3
    (wrong,) = (one for one in tried if not one.should_pass)
    assert "ReLU is 0 left of 0" in wrong.said
