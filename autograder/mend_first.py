"""Which failed part a learner should mend first.

An answer may call earlier ones. Where such an earlier answer is wrong, the later one fails with
it, right or not, and what its test says may name the wrong cause.
"""

import ast
from collections.abc import Mapping

from autograder.outcome import Outcome, Record
from autograder.skeleton import Role, Skeleton, bound_names

NOT_AT_FAULT = (Outcome.PASSED, Outcome.GRADER_FAULT)


def mend_first(record: Record, skeletons: Mapping[str, Skeleton]) -> dict[str, str]:
    """Failed tests whose answer calls an earlier one that failed as well: that one's test."""
    failed = {part.grade_id for part in record.parts if part.outcome not in NOT_AT_FAULT}
    found: dict[str, str] = {}
    for name, skeleton in skeletons.items():
        broken: dict[str, str] = {}  # by function: its test that failed
        asked: tuple[str, ...] = ()
        earlier: list[str] = []
        for cell in skeleton.cells:
            if cell.role is Role.SOLUTION:
                asked = bound_names(cell.stub)
                used = used_names(record.answers.get(name, {}).get(cell.grade_id, ""))
                earlier = [test for function, test in broken.items() if function in used]
            elif cell.role is Role.TEST and cell.grade_id in failed:
                if earlier:
                    found[cell.grade_id] = earlier[0]
                for function in asked:
                    broken.setdefault(function, cell.grade_id)
    return found


def used_names(source: str) -> set[str]:
    """Names that a cell reads; none where it is not Python.

    >>> sorted(used_names("def f(x): return g(x) + h.k"))
    ['g', 'h', 'x']
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
