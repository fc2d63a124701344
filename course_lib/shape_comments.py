"""Shape comments: which statements of a source text carry one, and whose value it describes.

`scores = q @ k.transpose(-1, -2)  # b h q k` promises four axes. A trailing comment of single
letters and whole numbers is such a promise; a colon and words may follow. Whether it is true is for
`trace.py` to say, which has the values.
"""

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from typing import Any

AXES = re.compile(r"#\s*((?:\d+ )*[a-z](?: (?:[a-z]|\d+))*)\s*(?::.*)?")


@dataclass(frozen=True)
class Promise:
    """A statement with a shape comment.

    `kind` tells where its value is found: "assigned" to `targets` once the statement is done,
    "returned", "yielded", declared as a "field" of a class, or "nowhere".
    """

    line: int  # where the comment stands
    lines: range  # all lines of the statement
    code: str  # without the comment
    axes: tuple[str, ...]
    kind: str
    targets: tuple[str, ...] = ()


def axes_of(comment: str) -> tuple[str, ...] | None:
    """The axes a comment promises, or None for any other comment.

    >>> axes_of("# b 1 q k"), axes_of("# b k: True at real tokens"), axes_of("# a word")
    (('b', '1', 'q', 'k'), ('b', 'k'), None)
    """
    match = AXES.fullmatch(comment)
    return tuple(match[1].split()) if match else None


def trailing_comments(source: str) -> dict[int, tuple[int, str]]:
    """Each comment that follows code: its line → (column, text)."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: (token.start[1], token.string)
        for token in tokens
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip()
    }


def promises(source: str) -> list[Promise]:
    """All shape comments of a source text with their statements, top to bottom."""
    comments = trailing_comments(source)
    promised = {at: axes for at, (_, text) in comments.items() if (axes := axes_of(text))}
    if not promised:
        return []
    nodes = list(ast.walk(ast.parse(source)))
    fields = {id(part) for node in nodes if isinstance(node, ast.ClassDef) for part in node.body}
    simple = [s for s in nodes if isinstance(s, ast.stmt) and not hasattr(s, "body")]
    text = source.splitlines()
    found = []
    for at, axes in sorted(promised.items()):
        statement = next((s for s in simple if at in lines_of(s)), None)
        if statement is None:
            found.append(Promise(at, range(at, at + 1), text[at - 1].strip(), axes, "nowhere"))
            continue
        code = [
            text[i - 1][: comments[i][0] if i in comments else None] for i in lines_of(statement)
        ]
        kind, targets = place(statement, field=id(statement) in fields)
        names = tuple(ast.unparse(target) for target in targets)
        found.append(
            Promise(at, lines_of(statement), " ".join(x.strip() for x in code), axes, kind, names)
        )
    return found


def lines_of(statement: ast.stmt) -> range:
    """The lines of a statement."""
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def place(statement: ast.stmt, field: bool) -> tuple[str, list[ast.expr]]:
    """The kind of a promise, and the expressions that hold its value once the statement is done."""
    match statement:
        case ast.AnnAssign(target=target) if field:
            return "field", [target]
        case ast.Assign(targets=targets):
            return "assigned", [part for target in targets for part in parts(target)]
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return "assigned", [target]
        case ast.Return(value=ast.expr()):
            return "returned", []
        case ast.Expr(value=ast.Yield(value=ast.expr())):
            return "yielded", []
    return "nowhere", []


def parts(target: ast.expr) -> list[ast.expr]:
    """The single targets of `a, *b = …`."""
    if isinstance(target, ast.Tuple | ast.List):
        return [part for element in target.elts for part in parts(element)]
    return [target.value if isinstance(target, ast.Starred) else target]


def tensors_in(value: Any) -> list[Any]:
    """What a shape comment describes: a tensor, or each of those in a tuple or list."""
    if isinstance(value, tuple | list):
        return [part for element in value for part in tensors_in(element)]
    return [value] if hasattr(value, "shape") else []
