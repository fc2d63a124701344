"""The source notebooks, cut into parts: a solution cell and the test cells that follow it."""

import ast
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from unittest import mock

import nbformat

FOLDER = Path(__file__).parents[2] / "assignments"
NAMES = sorted(path.name for path in (FOLDER / "source").iterdir() if path.is_dir())


@dataclass(frozen=True)
class Part:
    name: str  # the grade_id of its solution cell
    solution: str
    tests: dict[str, str]  # grade_id: source
    points: dict[str, float]


@dataclass(frozen=True)
class Result:
    points: dict[str, float]
    said: str  # what the tests printed and raised

    @property
    def total(self) -> float:
        return sum(self.points.values())


@cache
def read(assignment: str) -> nbformat.NotebookNode:
    return nbformat.read(FOLDER / "source" / assignment / f"{assignment}.ipynb", as_version=4)


@cache
def parts(assignment: str) -> dict[str, Part]:
    found: dict[str, Part] = {}
    for cell in read(assignment).cells:
        meta = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" or not meta:
            continue
        if meta["solution"]:
            part = found[meta["grade_id"]] = Part(meta["grade_id"], cell.source, {}, {})
        elif meta["grade"]:
            part.tests[meta["grade_id"]] = cell.source
            part.points[meta["grade_id"]] = meta["points"]
    return found


def leaks(assignment: str, released: nbformat.NotebookNode) -> list[str]:
    """Lines of solutions and hidden tests, canaries and markers that a released notebook holds."""
    found = []
    for source, release in zip(read(assignment).cells, released.cells, strict=True):
        secret = re.findall(
            r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", source.source, re.DOTALL
        )
        # Short lines, such as a closing bracket, may stand in open text as well.
        lines = {line for line in "".join(secret).splitlines() if len(line.strip()) > 11}
        found += [line for line in release.source.splitlines() if line in lines]
        found += re.findall(r"canary-\S+|(?:BEGIN|END) (?:SOLUTION|HIDDEN TESTS)", release.source)
        if source.metadata.get("nbgrader", {}).get("solution"):
            assert "YOUR CODE HERE" in release.source or "YOUR ANSWER HERE" in release.source
    return found


def score(assignment: str, part: Part, answer: str) -> Result:
    """Run an answer and its test cells in this process, with nbgrader's rule for partial credit.

    The other parts are answered by their reference, since an answer may call earlier ones.
    """
    namespace: dict[str, object] = {}
    with redirect_stdout(StringIO()) as said:
        with mock.patch("course_lib.checks.block"):
            for cell in read(assignment).cells:
                if cell.id == "setup":
                    exec(cell.source, namespace)
        for other in parts(assignment).values():
            exec(other.solution, namespace)
        exec(compile(answer, f"<{part.name}>", "exec"), namespace)
        earned = {name: _earned(part, name, namespace) for name in part.tests}
    return Result(earned, said.getvalue())


def _earned(part: Part, name: str, namespace: dict[str, object]) -> float:
    tree = ast.parse(part.tests[name], f"<{name}>")
    call = ast.Expression(tree.body.pop().value)
    try:
        exec(compile(tree, f"<{name}>", "exec"), namespace)
        points = eval(compile(call, f"<{name}>", "eval"), namespace)
    except Exception as failure:
        print(f"{name}: {type(failure).__name__}: {failure}")
        return 0.0
    assert points is None or type(points) is float, "the last line of a test cell gives its points"
    return part.points[name] if points is None else points
