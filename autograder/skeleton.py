"""The instructor's notebook, read as a list of cells with their roles.

A submission contributes nothing but the text of solution cells; every other cell, and the order,
type, points and role of all cells, come from here.
"""

import ast
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import nbformat

HEADING = re.compile(r"^##+ +(.+?)(?: \([^()]*\bpoints?\b[^()]*\))? *$", re.MULTILINE)
STUBS = {"code": "# YOUR CODE HERE\nraise NotImplementedError()", "markdown": "YOUR ANSWER HERE"}


class Role(StrEnum):
    """What grading does with a cell."""

    TEXT = "text"  # shown only
    PLAIN = "plain"  # a code cell without nbgrader's marks: a demonstration, not run
    LOCKED = "locked"  # run on both sides
    SOLUTION = "solution"  # the student's, run in the sandbox
    TEST = "test"  # run outside the sandbox, earns points
    BY_HAND = "by hand"  # the student's, graded by a human


@dataclass(frozen=True)
class Cell:
    """A cell of the instructor's notebook; `stub` is what students get in a solution's place."""

    role: Role
    cell_type: str
    source: str
    grade_id: str = ""
    cell_id: str = ""
    points: float = 0.0
    stub: str = ""
    marks: dict[str, Any] = field(default_factory=dict)  # nbgrader's metadata

    @property
    def is_answer(self) -> bool:
        """Whether its text comes from the student."""
        return self.role in (Role.SOLUTION, Role.BY_HAND)

    @property
    def is_part(self) -> bool:
        """Whether it earns points."""
        return self.role in (Role.TEST, Role.BY_HAND)


@dataclass(frozen=True)
class Skeleton:
    """One notebook of an assignment."""

    name: str
    cells: tuple[Cell, ...]

    @property
    def digest(self) -> str:
        """Changes whenever any cell changes, so that grades know which tests they come from."""
        text = json.dumps([asdict(cell) for cell in self.cells], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def reference(self) -> dict[str, str]:
        """The instructor's own answers by grade_id."""
        return {cell.grade_id: cell.source for cell in self.cells if cell.is_answer}


def parts_of_tests(skeletons: Mapping[str, Skeleton]) -> dict[str, str]:
    """Each test's part, by grade_id: the solution cell before it."""
    found = {}
    for skeleton in skeletons.values():
        part = ""
        for cell in skeleton.cells:
            if cell.role is Role.SOLUTION:
                part = cell.grade_id
            if cell.role is Role.TEST:
                found[cell.grade_id] = part
    return found


def titles_of_parts(skeletons: Mapping[str, Skeleton]) -> dict[str, str]:
    """What learners call each graded cell and answer, by grade_id: the heading it stands under.

    Where several tests, or several answers, share a heading, their own names follow it. The
    notebook's title is no heading.
    """
    found = {}
    for skeleton in skeletons.values():
        heading, headings = "", {}
        for cell in skeleton.cells:
            if cell.role is Role.TEXT and (lines := HEADING.findall(cell.source)):
                heading = lines[-1]
            if cell.is_part or cell.is_answer:
                headings[cell.grade_id] = cell.is_part, heading
        shared = Counter(headings.values())
        for grade_id, (is_part, heading) in headings.items():
            name = grade_id.removesuffix("_tests")
            alone = heading and shared[is_part, heading] == 1
            found[grade_id] = heading if alone else f"{heading}: {name}" if heading else name
    return found


def read_skeleton(path: Path) -> Skeleton:
    """Read `source/<assignment>/<name>.ipynb`.

    Twice the same grade_id, or points that are no amount, are a `ValueError`.
    """
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    cells = tuple(_cell(cell, path) for cell in notebook.cells)
    seen: set[str] = set()
    for cell in cells:
        if cell.grade_id in seen:
            raise ValueError(f"{path}: grade_id {cell.grade_id!r} occurs twice; rename one of them")
        if cell.grade_id:
            seen.add(cell.grade_id)
    return Skeleton(path.stem, cells)


def _cell(cell: Any, path: Path) -> Cell:
    marks = cell.metadata.get("nbgrader", {})
    role = _role(cell.cell_type, marks)
    points = float(marks.get("points", 0)) if role in (Role.TEST, Role.BY_HAND) else 0.0
    if not 0 <= points < float("inf"):
        raise ValueError(f"{path}: cell {marks['grade_id']!r} has {points} points")
    return Cell(
        role=role,
        cell_type=cell.cell_type,
        source=cell.source,
        grade_id=marks.get("grade_id", "") if role not in (Role.TEXT, Role.PLAIN) else "",
        cell_id=cell.get("id", ""),
        points=points,
        stub=clear_solution(cell.source, cell.cell_type),
        marks=dict(marks),
    )


def _role(cell_type: str, marks: dict[str, Any]) -> Role:
    if marks.get("task") or (marks.get("solution") and marks.get("grade")):
        return Role.BY_HAND
    if cell_type != "code":
        return Role.TEXT
    if marks.get("solution"):
        return Role.SOLUTION
    if marks.get("grade"):
        return Role.TEST
    return Role.LOCKED if marks.get("locked") else Role.PLAIN


def clear_solution(source: str, cell_type: str = "code") -> str:
    """The text students get in the place of a solution cell, as nbgrader makes it.

    >>> source = "def f():\\n    ### BEGIN SOLUTION\\n    return 1\\n    ### END SOLUTION"
    >>> print(clear_solution(source))
    def f():
        # YOUR CODE HERE
        raise NotImplementedError()
    """
    stub = STUBS.get(cell_type, "")
    if "BEGIN SOLUTION" not in source:
        return stub
    kept: list[str] = []
    inside = False
    for line in source.splitlines():
        if "BEGIN SOLUTION" in line:
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            kept += [indent + stub_line for stub_line in stub.splitlines()]
        elif "END SOLUTION" in line:
            inside = False
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def bound_names(source: str) -> tuple[str, ...]:
    """Names that running `source` as a cell binds, in order; none where it is not Python.

    >>> bound_names("import math as m\\nx, y = 1, 2\\ndef f(): z = 3")
    ('m', 'x', 'y', 'f')
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names: dict[str, None] = {}

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = None
            return  # what its body binds stays inside
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp):
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = None
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name.partition(".")[0]] = None
        for child in ast.iter_child_nodes(node):
            visit(child)

    try:
        visit(tree)
    except RecursionError:
        return ()
    return tuple(names)
