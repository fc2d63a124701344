"""What every source notebook promises: its form, its numbers, and tests that stand alone."""

import ast
import builtins
import doctest
import importlib
import json
import re
import symtable
from copy import deepcopy
from dataclasses import replace

import nbformat
import pytest
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions
from source_notebooks import FOLDER, NAMES, leaks, parts, read, score

COURSE_LIB = FOLDER.parent / "course_lib"
CANARY = re.compile(r"# canary-\d\d-[0-9a-f]{12}\b")

pytestmark = pytest.mark.parametrize("assignment", NAMES)


def test_form(assignment):
    notebook = read(assignment)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        assert cell.cell_type == "markdown" or (not cell.outputs and cell.execution_count is None)
        meta = cell.metadata.get("nbgrader")
        if meta:
            assert meta["schema_version"] == 3 and meta["grade_id"] == cell.id
            assert "points" not in meta or type(meta["points"]) is float


def test_parts_and_their_points(assignment):
    notebook = read(assignment)
    assert 4 <= len(parts(assignment)) <= 8
    (essay,) = (c for c in notebook.cells if c.cell_type == "markdown" and "nbgrader" in c.metadata)
    by_tests = 0.0
    for name, part in parts(assignment).items():
        (text,) = (cell.source for cell in notebook.cells if cell.id == f"{name}_text")
        total = sum(part.points.values())
        assert re.match(rf"## Part \d · .+ \({total:g} points?\)", text), text
        by_tests += total
    written = essay.metadata.nbgrader["points"]
    assert (
        f"{by_tests:g} from tests and {written:g} for a written answer" in notebook.cells[0].source
    )


def test_solutions_are_typed_and_their_examples_are_true(assignment):
    (setup,) = (cell.source for cell in read(assignment).cells if cell.id == "setup")
    setup = "\n".join(line for line in setup.splitlines() if not line.startswith("block("))
    namespace: dict[str, object] = {}
    exec(setup, namespace)
    for part in parts(assignment).values():
        exec(part.solution, namespace)
        runner = doctest.DocTestRunner(verbose=False)
        for function in _functions(part):
            arguments = function.args.args + function.args.kwonlyargs
            typed = function.returns and all(a.annotation or a.arg == "self" for a in arguments)
            assert typed or function.name == "__init__", function.name
            example = doctest.DocTestParser().get_doctest(
                ast.get_docstring(function) or "", namespace, function.name, None, None
            )
            runner.run(example)
        assert runner.tries > 0 and runner.failures == 0, part.name


def _functions(part):
    return [n for n in ast.walk(ast.parse(part.solution)) if isinstance(n, ast.FunctionDef)]


def test_release_holds_no_secret_and_its_checks_pass_the_reference(assignment):
    released, _ = ClearSolutions().preprocess(deepcopy(read(assignment)), {})
    released, _ = ClearHiddenTests().preprocess(released, {})
    assert leaks(assignment, released) == []
    for name, part in parts(assignment).items():
        visible = {cell.id: cell.source for cell in released.cells if cell.id in part.tests}
        seen = score(assignment, replace(part, tests=visible), part.solution)
        assert seen.points == part.points, seen.said
        assert seen.said.count("The checks you can see pass.") == len(part.tests), name


def test_answers_are_not_in_the_library(assignment):
    exported = set()
    for path in COURSE_LIB.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        exported |= {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    assert not exported & {name for part in parts(assignment).values() for name in _binds(part)}


def test_tests_use_the_answers_and_nothing_else_from_outside(assignment):
    for part in parts(assignment).values():
        for name, source in part.tests.items():
            (function,) = symtable.symtable(source, name, "exec").get_children()
            known = {*dir(builtins), *_binds(part)}
            assert _globals_of(function) <= known, f"{name} uses {_globals_of(function) - known}"


def _binds(part):
    tree = ast.parse(part.solution)
    return {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}


def _globals_of(table):
    own = {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    return own.union(*map(_globals_of, table.get_children()))


def test_every_hidden_test_carries_its_own_canary(assignment):
    everywhere = [c for name in NAMES for p in parts(name).values() for c in _canaries(p)]
    assert len(set(everywhere)) == len(everywhere)
    for part in parts(assignment).values():
        assert len(_canaries(part)) == len(part.tests)


def _canaries(part):
    hidden = re.compile(r"### BEGIN HIDDEN TESTS\n\s*(.+)\n")
    lines = [line for source in part.tests.values() for line in hidden.findall(source)]
    return [line for line in lines if CANARY.fullmatch(line)]


def test_what_is_blocked_exists(assignment):
    lists = json.loads((COURSE_LIB / "blocked.json").read_text("utf-8"))[assignment]
    for name in lists["modules"]:
        importlib.import_module(name)
    for name in lists["functions"]:
        owner, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(owner), function))
    assert f'block("{assignment}")' in "".join(cell.source for cell in read(assignment).cells)
