"""Tries the tests on small changes of the reference solutions: those that pass show a gap.

Each mutant differs in one place: an operator, a comparison, a constant, a sign, a condition, a
call that is dropped. A mutant that means the same as the original passes rightly; such are
listed, with the reason, in the course's `equivalent_mutants.json`.
"""

import ast
import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.answers import only_part
from autograder.course import Course
from autograder.job import Job, Limits, packed, preload_for
from autograder.outcome import Outcome
from autograder.pool import Setup, cores, run_jobs
from autograder.skeleton import Role

EQUIVALENT = "equivalent_mutants.json"
LIMITS = Limits(seconds=10.0, cpu_seconds=5.0, seconds_in_all=40.0)
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A changed solution: the lines that differ, and whether the tests took it for right."""

    part: str
    before: str
    after: str
    source: str
    survived: bool = False


def mutants(part: str, source: str) -> Iterator[Mutant]:
    """Every solution that differs from `source` in one small place.

    >>> [(m.before, m.after) for m in mutants("f", "def f(x):\\n    return -x")]
    [('return -x', 'return x')]
    """
    tree = ast.parse(source)
    original = ast.unparse(tree).splitlines()
    seen = {"\n".join(original)}
    for number, node in enumerate(_nodes(tree)):
        for change in range(len(_changes(node))):
            changed = copy.deepcopy(tree)
            twin = next(n for i, n in enumerate(_nodes(changed)) if i == number)
            new = _changes(twin)[change]()
            text = ast.unparse(ast.fix_missing_locations(_Put(twin, new).visit(changed)))
            if text not in seen:
                seen.add(text)
                lines = text.splitlines()
                before = [line.strip() for line in original if line not in lines]
                after = [line.strip() for line in lines if line not in original]
                yield Mutant(part, " / ".join(before), " / ".join(after), text)


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of annotations, which do nothing."""
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _nodes(child)


class _Put(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        """The node, with the new one wherever the old one was."""
        return self.new if node is self.old else self.generic_visit(node)


def _changes(node: ast.AST) -> list[Callable[[], ast.AST]]:
    """Ways to change this one node; a way that changes it in place returns it."""
    match node:
        case ast.BinOp(op=old) | ast.BoolOp(op=old) if type(old) in SWAPS:
            return [lambda: _with(node, op=SWAPS[type(old)]())]
        case ast.Compare(ops=[old, *rest]) if type(old) in SWAPS:
            return [lambda: _with(node, ops=[SWAPS[type(old)](), *rest])]
        case ast.Constant(value=bool(value)):
            return [lambda: ast.Constant(not value)]
        case ast.Constant(value=int(value) | float(value)):
            less = value - 1 if isinstance(value, int) else value * 1.01
            return [lambda: ast.Constant(value + 1), lambda: ast.Constant(less)]
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            return [lambda: operand]
        case ast.Call(func=ast.Attribute(value=owner)) if not _is_module(owner):
            return [lambda: owner]
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return [lambda: _with(node, test=ast.UnaryOp(ast.Not(), test))]
    return []


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    vars(node).update(fields)
    return node


def _is_module(owner: ast.expr) -> bool:
    """torch.exp(x) is a function of x; what would be left of it is no value."""
    return isinstance(owner, ast.Name) and owner.id in ("torch", "math", "F", "np", "random")


def try_mutants(
    course: Course,
    assignment: str,
    *,
    bubblewrap: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Mutant]:
    """Grade every mutant of an assignment's reference solutions, as bank answers are graded."""
    skeletons = course.skeletons(assignment)
    files = packed(course.data_files(assignment))
    found: dict[str, Mutant] = {}
    jobs = []
    for skeleton in skeletons.values():
        for cell in skeleton.cells:
            if cell.role is not Role.SOLUTION:
                continue
            part, alone = cell.grade_id, only_part(cell.grade_id, skeletons)
            for number, mutant in enumerate(mutants(part, cell.source)):
                name = f"{part}-{number}"
                found[name] = mutant
                answers = {**alone.reference(), part: mutant.source}
                jobs.append(
                    Job(assignment, name, (alone,), {alone.name: answers}, (), "0", LIMITS, files)
                )
    setup = Setup(preload_for(list(skeletons.values())), (course.root,), bubblewrap)
    for done, (job, record) in enumerate(run_jobs(jobs, setup, cores()), 1):
        passed = all(part.outcome is Outcome.PASSED for part in record.parts)
        found[job.student] = replace(found[job.student], survived=passed)
        progress(done, len(jobs))
    return list(found.values())


def equivalent(course: Course, assignment: str) -> set[tuple[str, str, str]]:
    """Mutants that mean the same as the original: part, line before, line after."""
    path: Path = course.root / EQUIVALENT
    listed = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {
        (part, item["before"], item["after"])
        for part, items in listed.get(assignment, {}).items()
        for item in items
        if item["why"]
    }
