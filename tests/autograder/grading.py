"""Small notebooks, as instructors write them and as students hand them in."""

import json

from autograder.job import Job, Limits
from autograder.skeleton import Cell, Role, Skeleton, clear_solution

MARKS = {
    Role.LOCKED: {"locked": True, "grade": False, "solution": False},
    Role.SOLUTION: {"locked": False, "grade": False, "solution": True},
    Role.TEST: {"locked": True, "grade": True, "solution": False},
    Role.BY_HAND: {"locked": False, "grade": True, "solution": True},
}
QUICK = Limits(seconds=20, memory_bytes=400 * 2**20)


def cell(role, source, grade_id="", points=0.0, cell_type="code"):
    role = Role(role)
    marks = {}
    if role in MARKS:
        marks = {**MARKS[role], "grade_id": grade_id, "schema_version": 3, "task": False}
        marks |= {"points": points} if role in (Role.TEST, Role.BY_HAND) else {}
    stub = clear_solution(source, cell_type)
    return Cell(role, cell_type, source, grade_id, grade_id, points, stub, marks)


def double_notebook():
    """Two parts: `double`, worth 2 points, and `add`, worth 3 with partial credit."""
    return Skeleton(
        "nb",
        (
            cell("text", "# Title", cell_type="markdown"),
            cell("locked", "import torch\nfrom course_lib.checks import Credit, close", "setup"),
            cell(
                "solution",
                "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
                "double",
            ),
            cell(
                "test",
                "close(double(torch.arange(3.0)), [0, 2, 4], 'double each number')",
                "double_tests",
                2.0,
            ),
            cell(
                "solution",
                "def add(x, y):\n    ### BEGIN SOLUTION\n    return x + y\n    ### END SOLUTION",
                "add",
            ),
            cell(
                "test",
                "credit = Credit()\n"
                "with credit(1.0, 'small'): assert add(1, 1) == 2\n"
                "with credit(2.0, 'large'): assert add(10**6, 1) == 1_000_001\n"
                "credit.total",
                "add_tests",
                3.0,
            ),
        ),
    )


def job(answers, skeleton=None, limits=QUICK, seed="0"):
    skeleton = skeleton or double_notebook()
    return Job("hw", "ann", (skeleton,), {skeleton.name: answers}, seed=seed, limits=limits)


def one_part(solution, test, answer, setup="import torch", points=1.0):
    """A notebook of one part, and the job that grades `answer` on it."""
    skeleton = Skeleton(
        "nb",
        (
            cell("locked", setup, "setup"),
            cell("solution", solution, "answer"),
            cell("test", test, "test", points),
        ),
    )
    return job({"answer": answer}, skeleton)


def notebook(skeleton, answers=None, **changes):
    """The handed-in notebook; `changes` update the cell of a grade_id, or drop it (None)."""
    answers = skeleton.reference() if answers is None else answers
    cells = []
    for number, one in enumerate(skeleton.cells):
        source = answers.get(one.grade_id, one.stub) if one.is_answer else one.source
        item = {
            "cell_type": one.cell_type,
            "id": one.cell_id or f"c{number}",
            "metadata": {"nbgrader": dict(one.marks)} if one.marks else {},
            "source": source.splitlines(keepends=True),
        }
        if one.cell_type == "code":
            item |= {"execution_count": None, "outputs": []}
        change = changes.get(one.grade_id, {}) if one.grade_id else {}
        if change is not None:
            cells.append({**item, **change})
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def hand_in(folder, notebook_or_text, name="nb"):
    folder.mkdir(parents=True, exist_ok=True)
    text = notebook_or_text
    if isinstance(text, dict):
        text = json.dumps(text, indent=1)
    data = text if isinstance(text, bytes) else text.encode()
    (folder / f"{name}.ipynb").write_bytes(data)
    return folder


SKELETON = double_notebook()
REFERENCE = SKELETON.reference()
CLASS = {
    "ann": notebook(SKELETON),
    "bob": notebook(SKELETON, {**REFERENCE, "add": "def add(x, y): return min(x + y, 9)"}),
    "carl": notebook(SKELETON, {**REFERENCE, "double": "import os\nos._exit(1)"}),
    "dora": notebook(SKELETON, {}),
    "emil": "{ not a notebook",
    "fay": notebook(
        SKELETON, {**REFERENCE, "double": "print('<script>alert(1)</script>')\ndouble = '<b>'"}
    ),
}
SCORES = {"ann": 5.0, "bob": 3.0, "carl": 3.0, "dora": 0.0, "emil": 0.0, "fay": 3.0}


def make_course(root, submissions, skeleton=SKELETON):
    source = notebook(skeleton)
    for item in source["cells"]:
        if item["metadata"].get("nbgrader", {}).get("grade_id") == "double_tests":
            item["source"] += ["\n### BEGIN HIDDEN TESTS\n# canary-77\n### END HIDDEN TESTS"]
    hand_in(root / "source" / "hw", source)
    (root / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'x'\n"
    )
    for student, handed_in in submissions.items():
        hand_in(root / "submitted" / student / "hw", handed_in)
    (root / "submitted").mkdir(exist_ok=True)
    return root
