"""The reference of the library: every public name with its signature and docstring.

Everything is read from the source, so a build imports no PyTorch for it, and a default stands as it
was written. Docstrings are Markdown like the chapters. Public is what has no leading underscore.
Names of the library in a signature are links, and `-n` fails the build where one leads nowhere.
"""

import ast
import copy
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from docutils import nodes
from page_key import longest_module, module_file
from sphinx.application import Sphinx
from sphinx.domains import ObjType
from sphinx.domains.python import PythonDomain
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parent.parent
LONGEST_VALUE = 72  # characters; the value of a longer constant is to be read in the source
METHOD_KINDS = {"classmethod", "staticmethod", "abstractmethod"}
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
ROLE = re.compile(r"\{(?=\w+\}`)")
Function = ast.FunctionDef


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_directive("library", Library)
    # As Sphinx 8 has it: where a signature names a type, an alias may be meant.
    PythonDomain.object_types["type"] = ObjType("type alias", "type", "class", "obj")
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Library(SphinxDirective):
    """`{library} course_lib.spec`: all that one module offers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Render the module's docstring and its public names in the order of the source."""
        module = self.arguments[0]
        self.env.note_dependency(str(path_of(module)))
        return self.parse_text_to_nodes("\n".join(module_text(module)))


def path_of(module: str) -> Path:
    """Where the source of a module lies."""
    return module_file(ROOT, module.split("."))


@cache
def lines_of(module: str) -> list[bytes]:
    """Return the lines of a module's source; syntax trees count columns in bytes."""
    return path_of(module).read_bytes().splitlines()


@cache
def tree_of(module: str) -> ast.Module:
    """Return a module's syntax tree."""
    return ast.parse(path_of(module).read_bytes())


@cache
def imported(module: str) -> dict[str, str]:
    """Return what a module imports, also for type checkers only: the dotted name of each name."""
    found = [node for node in ast.walk(tree_of(module)) if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in found
        for alias in node.names
    }


@cache
def defined(module: str) -> dict[str, ast.stmt]:
    """Return the public names that a module defines, in its order."""
    names: dict[str, ast.stmt] = {}
    for node in tree_of(module).body:
        if isinstance(node, Function | ast.ClassDef):
            names[node.name] = node  # of several overloads the last, which has the docstring
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
    return {name: node for name, node in names.items() if not name.startswith("_")}


@cache
def home(name: str, module: str) -> str:
    """Return the full name of what `name` stands for in a module; empty where it is not ours."""
    if name in defined(module):
        return "" if is_type_variable(defined(module)[name]) else f"{module}.{name}"
    if name not in imported(module):
        return ""
    origin, rest = longest_module(ROOT, imported(module)[name])
    return home(rest, origin) if origin and rest else ""


def is_type_variable(node: ast.stmt) -> bool:
    """Whether a statement makes a `TypeVar`, which is no name for a reader."""
    return isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("TypeVar(")


class Linked(ast.NodeTransformer):
    """Writes the library's names in full, which Sphinx shortens again and links."""

    def __init__(self, module: str) -> None:
        self.module = module

    def visit_Name(self, node: ast.Name) -> ast.Name:  # noqa: N802
        """A name of ours, marked as one to be shortened."""
        full = home(node.id, self.module)
        return ast.Name(f"~{full}") if full else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:  # noqa: N802
        """The annotation inside a quoted one."""
        if isinstance(node.value, str):
            return self.visit(ast.parse(node.value, mode="eval").body)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:  # noqa: N802
        """Leave the strings of a `Literal` alone."""
        return node if ast.unparse(node.value) == "Literal" else self.generic_visit(node)


def annotation(node: ast.expr | None, module: str) -> str:
    """Write an annotation with links."""
    return ast.unparse(Linked(module).visit(copy.deepcopy(node))) if node else ""


def signature(function: Function, module: str, method: bool) -> str:
    """Write what a function takes and gives, with defaults as they stand in the source."""
    arguments = copy.deepcopy(function.args)
    if method and "staticmethod" not in decorators(function):
        del (arguments.posonlyargs or arguments.args)[0]
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in [*every, *filter(None, [arguments.vararg, arguments.kwarg])]:
        if argument.annotation:
            argument.annotation = Linked(module).visit(argument.annotation)
    arguments.defaults = [as_written(default, module) for default in arguments.defaults]
    arguments.kw_defaults = [
        default and as_written(default, module) for default in arguments.kw_defaults
    ]
    result = annotation(function.returns, module)
    return f"({ast.unparse(arguments)})" + (f" -> {result}" if result else "")


def as_written(value: ast.expr, module: str) -> ast.Name:
    """A value that is written as in the source: 30_522 stays 30_522."""
    assert value.end_lineno
    lines = lines_of(module)[value.lineno - 1 : value.end_lineno]
    lines[-1] = lines[-1][: value.end_col_offset]
    lines[0] = lines[0][value.col_offset :]
    return ast.Name(" ".join(b" ".join(lines).decode().split()))


def decorators(node: Function | ast.ClassDef) -> set[str]:
    """Name the decorators of a definition, without their arguments."""
    return {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}


def fields(cls: ast.ClassDef, module: str) -> dict[str, ast.AnnAssign]:
    """Return the fields of a dataclass or NamedTuple, those of a base in the same module first."""
    found: dict[str, ast.AnnAssign] = {}
    for base in cls.bases:
        parent = defined(module).get(ast.unparse(base))
        if isinstance(parent, ast.ClassDef):
            found |= fields(parent, module)
    if "dataclass" in decorators(cls) or "NamedTuple" in map(ast.unparse, cls.bases):
        for node in cls.body:
            if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation):
                found[ast.unparse(node.target)] = node
    return found


def constructor(cls: ast.ClassDef, module: str) -> str:
    """Write how a class is called; empty where that is inherited from elsewhere."""
    for node in cls.body:
        if isinstance(node, Function) and node.name == "__init__":
            return signature(node, module, method=True).partition(" -> ")[0]
    if own := fields(cls, module):
        return "(" + ", ".join(field_as_argument(field, module) for field in own.values()) + ")"
    for base in cls.bases:
        parent = defined(module).get(ast.unparse(base))
        if isinstance(parent, ast.ClassDef):
            return constructor(parent, module)
    return ""


def field_as_argument(field: ast.AnnAssign, module: str) -> str:
    """Write a field as the constructor takes it."""
    text = f"{ast.unparse(field.target)}: {annotation(field.annotation, module)}"
    value = field.value
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        keywords = {keyword.arg: keyword.value for keyword in value.keywords}
        if factory := keywords.get("default_factory"):
            made = ast.unparse(factory)
            return f"{text} = {made[8:] if made.startswith('lambda: ') else f'{made}()'}"
        value = keywords.get("default")
    return f"{text} = {as_written(value, module).id}" if value else text


def comment_after(node: ast.stmt, module: str) -> str:
    """Return the comment at the end of a statement's last line."""
    line = lines_of(module)[node.end_lineno - 1]
    comment = line[node.end_col_offset :].decode().strip().removeprefix("#").strip()
    return "" if comment.startswith(("type:", "noqa")) else comment


def comment_before(node: ast.stmt, module: str) -> str:
    """Return the comment on the lines right above a statement."""
    above: list[str] = []
    for line in reversed(lines_of(module)[: node.lineno - 1]):
        if not line.startswith(b"# ") or line.startswith(b"# ---"):
            break
        above.insert(0, line.decode().removeprefix("# "))
    return " ".join(above)


def described(kind: str, text: str, inside: Iterable[str], depth: int, **options: str) -> list[str]:
    """Write one of Sphinx's directives for Python, with what it says inside."""
    fence = ":" * (6 - depth)
    lines = [f":{name}: {value}" for name, value in options.items()]
    return [f"{fence}{{py:{kind}}} {text}", *lines, "", *inside, fence, ""]


def docstring(node: ast.AsyncFunctionDef | Function | ast.ClassDef | ast.Module) -> list[str]:
    """Return the lines of a docstring; a role that it names is text, an example is code."""
    text = EXAMPLE.sub(r"```pycon\n\g<0>\n```", ast.get_docstring(node) or "")
    return [*ROLE.sub(r"\\{", text).splitlines(), ""]


def module_text(module: str) -> Iterator[str]:
    """Yield a module's part of the reference as MyST Markdown."""
    tree = tree_of(module)
    yield from described("module", module, [], 0)
    yield from docstring(tree)
    exported = ast.literal_eval(getattr(defined_all(tree), "value", ast.List([])))
    if moved := [(name, home(name, module)) for name in exported if name in imported(module)]:
        yield "From here: " + ", ".join(f"{{py:obj}}`{name} <{full}>`" for name, full in moved)
        yield ""
    for name, node in defined(module).items():
        if isinstance(node, Function):
            text = name + signature(node, module, method=False)
            yield from described("function", text, docstring(node), 0)
        elif isinstance(node, ast.ClassDef):
            yield from class_text(node, module)
        elif not is_type_variable(node):
            yield from value_text(name, node, module)


def defined_all(tree: ast.Module) -> ast.stmt | None:
    """Return the assignment to `__all__`, where a module has one."""
    return next((n for n in tree.body if ast.unparse(n).startswith("__all__ = ")), None)


def class_text(cls: ast.ClassDef, module: str) -> list[str]:
    """Write a class with what its fields mean and its public methods."""
    content = docstring(cls)
    comments = {name: comment_after(node, module) for name, node in fields(cls, module).items()}
    content += [*(f"- `{name}`: {text}" for name, text in comments.items() if text), ""]
    for node in cls.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            content += method_text(node, module)
    return described("class", cls.name + constructor(cls, module), content, 0)


def method_text(node: Function, module: str) -> list[str]:
    """Write a method or a property."""
    marks = decorators(node)
    if "property" in marks:
        gives = annotation(node.returns, module)
        return described("property", node.name, docstring(node), 1, type=gives)
    options = dict.fromkeys(sorted(marks & METHOD_KINDS), "")
    text = node.name + signature(node, module, method=True)
    return described("method", text, docstring(node), 1, **options)


def value_text(name: str, node: ast.stmt, module: str) -> list[str]:
    """Write a constant, or another name for a type."""
    value = ast.unparse(node.value)
    content = [comment_before(node, module), "", comment_after(node, module)]
    if not name.isupper():
        return described("type", name, [f"`{value}`", "", *content], 0)
    options = {"value": value} if len(value) <= LONGEST_VALUE else {}
    return described("data", name, content, 0, **options)
