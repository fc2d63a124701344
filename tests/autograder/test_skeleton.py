"""The instructor's notebook: roles, stubs, the names an answer binds."""

import json

import pytest
from grading import cell, double_notebook, notebook
from nbgrader.preprocessors import ClearSolutions

from autograder.skeleton import (
    Role,
    Skeleton,
    bound_names,
    clear_solution,
    read_skeleton,
    titles_of_parts,
)


def test_roles_are_read_from_the_metadata(tmp_path):
    skeleton = double_notebook()
    path = tmp_path / "nb.ipynb"
    path.write_text(json.dumps(notebook(skeleton)))
    assert read_skeleton(path).cells[1:] == skeleton.cells[1:]
    assert read_skeleton(path).digest != Skeleton("nb", skeleton.cells[:-1]).digest


def test_learners_know_a_part_by_its_heading():
    def heading(text):
        return cell("text", text, cell_type="markdown")

    def test(name):
        return cell("test", "pass", f"{name}_tests", 1.0)

    cells = [heading("# Assignment"), test("alone")]
    cells += [heading("## Part 1 · Sums (of all, 2 points)\n\nText.\n"), test("add"), test("sum")]
    cells += [heading("See the figure."), heading("## Part 2 · Why (2) (1 point, by hand)")]
    cells += [cell(Role.BY_HAND, "my essay", "verdict", 1.0, "markdown")]
    cells += [heading("## Part 3 · Twice"), cell(Role.SOLUTION, "", "twice"), test("twice")]
    cells += [heading("## Part 4 · Both"), cell(Role.SOLUTION, "", "both"), test("a"), test("b")]
    assert titles_of_parts({"nb": Skeleton("nb", tuple(cells))}) == {
        "alone_tests": "alone",
        "add_tests": "Part 1 · Sums: add",
        "sum_tests": "Part 1 · Sums: sum",
        "verdict": "Part 2 · Why (2)",
        "twice": "Part 3 · Twice",
        "twice_tests": "Part 3 · Twice",
        "both": "Part 4 · Both",
        "a_tests": "Part 4 · Both: a",
        "b_tests": "Part 4 · Both: b",
    }


@pytest.mark.parametrize("change", [{"points": float("nan")}, {"points": -1}])
def test_points_that_are_no_amount_are_refused(tmp_path, change):
    source = notebook(double_notebook())
    source["cells"][3]["metadata"]["nbgrader"] |= change
    path = tmp_path / "nb.ipynb"
    path.write_text(json.dumps(source))
    with pytest.raises(ValueError, match="points"):
        read_skeleton(path)


def test_a_grade_id_that_occurs_twice_is_refused(tmp_path):
    source = notebook(double_notebook())
    source["cells"].append({**source["cells"][3], "id": "other"})
    path = tmp_path / "nb.ipynb"
    path.write_text(json.dumps(source))
    with pytest.raises(ValueError, match="double_tests"):
        read_skeleton(path)


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "def f():\n    ### BEGIN SOLUTION\n    y = 1\n    return y\n    ### END SOLUTION\n\nz = 2",
        "### BEGIN SOLUTION\na\n### END SOLUTION\nb\n### BEGIN SOLUTION\nc\n### END SOLUTION",
    ],
)
def test_the_stub_is_the_one_nbgrader_makes(source):
    from nbformat.v4 import new_code_cell, new_notebook

    made = new_code_cell(source)
    made.metadata["nbgrader"] = {"solution": True}
    ClearSolutions().preprocess(new_notebook(cells=[made]), {})
    assert clear_solution(source) == made.source


def test_a_written_answer_has_its_own_stub():
    assert cell(Role.BY_HAND, "my essay", "w", 1.0, "markdown").stub == "YOUR ANSWER HERE"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(x): y = 1", ("f",)),
        ("class A:\n    b = 1", ("A",)),
        ("x = y = 1; z: int = 2; w += 1", ("x", "y", "z", "w")),
        ("import a.b, c as d\nfrom e import f", ("a", "d", "f")),
        ("for i in range(3):\n    if (n := i): pass", ("i", "n")),
        ("[k for k in range(3)]", ()),
        ("with open('x') as g: pass", ("g",)),
        ("def broken(:", ()),
        ("\0", ()),
        ("(" * 10_000, ()),
    ],
)
def test_names_a_cell_binds(source, names):
    assert bound_names(source) == names
