"""Every wrong answer of the bank loses points, every right one gets them all."""

import ast
from functools import cache

import pytest
from source_notebooks import FOLDER, NAMES, parts, score

BANK = sorted((FOLDER / "bank").glob("*/*/*/*.py"))
# An answer that fails for one of these has a slip in it, and proves nothing about its mistake.
SLIPS = ("NameError", "SyntaxError", "ImportError", "ModuleNotFoundError", "AttributeError")


@cache
def graded(path, seed):
    """What the answer gets under COURSE_SEED, which the caller has set."""
    assignment, part = path.parts[-4:-2]
    return score(assignment, parts(assignment)[part], path.read_text("utf-8"))


@pytest.mark.parametrize("seed", ["0", "of another submission"])
@pytest.mark.parametrize(
    "path", BANK, ids=lambda path: "/".join(path.parts[-3:]).removesuffix(".py")
)
def test_answer_gets_what_it_deserves(path, seed, monkeypatch):
    monkeypatch.setenv("COURSE_SEED", seed)
    assignment, part_name, kind, _ = path.parts[-4:]
    part, result = parts(assignment)[part_name], graded(path, seed)
    if kind == "right":
        assert result.points == part.points, result.said
    else:
        assert result.total < sum(part.points.values()), "the tests take a wrong answer for right"
        assert not any(slip in result.said for slip in SLIPS), result.said


@pytest.mark.parametrize("assignment", NAMES)
def test_every_part_has_six_wrong_and_four_right_answers(assignment):
    folder = FOLDER / "bank" / assignment
    assert {path.name for path in folder.iterdir()} == set(parts(assignment))
    for part in folder.iterdir():
        assert len(list((part / "wrong").glob("*.py"))) >= 6, part
        assert len(list((part / "right").glob("*.py"))) >= 4, part


@pytest.mark.parametrize("assignment", NAMES)
def test_every_mistake_the_visible_checks_name_is_made_in_the_bank(assignment, monkeypatch):
    monkeypatch.setenv("COURSE_SEED", "0")
    said = "".join(graded(path, "0").said for path in BANK if assignment in path.parts)
    tests = [test for part in parts(assignment).values() for test in part.tests.values()]
    named = [text.value for test in tests for text in _mistakes(test)]
    missing = [text for text in named if f"{text}." not in said]
    assert not missing, missing


def _mistakes(test):
    for node in ast.walk(ast.parse(test)):
        if isinstance(node, ast.keyword) and node.arg == "mistakes":
            yield from node.value.keys


@pytest.mark.parametrize("assignment", NAMES)
def test_the_reference_gets_full_marks_and_the_stub_none(assignment):
    for part in parts(assignment).values():
        assert score(assignment, part, part.solution).points == part.points
        tree = ast.parse(part.solution)
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                function.body = ast.parse("raise NotImplementedError()").body
        assert score(assignment, part, ast.unparse(tree)).total == 0


def test_every_answer_says_in_one_sentence_what_it_does():
    for path in BANK:
        sentence = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        assert sentence and sentence[-1] == "." and "\n" not in sentence, path
