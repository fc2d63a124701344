"""What a page's outputs depend on, besides the code in its own cells.

A page is executed again when its key changes. The key covers the project's modules that the page
imports, directly or through others, the data files that they or the page name, the installed
versions of the locked packages, and Python's version. It leaves out the page's cells: the
execution cache already compares those.
"""

import ast
import hashlib
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

LOCKS = ("requirements.txt", "requirements-weights.txt")


def page_key(root: Path, cells: Iterable[str]) -> str:
    """Digest all that the outputs of these code cells depend on, in the project below `root`."""
    digest = hashlib.sha256(platform.python_version().encode())
    for lock in LOCKS:
        digest.update(repr(locked_versions((root / lock).read_text())).encode())
    for path in sorted(dependencies(root, cells)):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@lru_cache
def locked_versions(lock: str) -> list[tuple[str, str]]:
    """Pair each package in a lock with its installed version, which is what pages run with."""
    versions = []
    for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE):
        try:
            versions.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            versions.append((name, "not installed"))
    return versions


def dependencies(root: Path, cells: Iterable[str]) -> set[Path]:
    """Return the project files that these cells import or name, and those that follow from them.

    A data file is named by its path from the root, or by its bare name within a package.

    `from package import name` follows only the module that `name` comes from, not all that the
    package's `__init__` gathers; a plain `import package` follows everything.
    """
    plain_python = TransformerManager().transform_cell  # without %magics
    todo: list[str] = []
    named: set[str] = set()
    for cell in cells:
        with suppress(SyntaxError):  # the kernel will report it, with the page's name
            imported, strings = mentions(plain_python(cell))
            todo.extend(imported.values())
            named |= strings
    done: set[str] = set()
    files: set[Path] = set()
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        module, attribute = longest_module(root, name)
        if not module:
            continue
        above = module.split(".")[:-1]
        files.update(module_file(root, above[: end + 1]) for end in range(len(above)))
        path = module_file(root, module.split("."))
        files.add(path)
        is_package = path.name == "__init__.py"
        imported, strings = mentions(path.read_text(), module if is_package else ".".join(above))
        named |= strings
        if is_package and attribute in imported:
            todo.append(imported[attribute])
        else:
            todo.extend(imported.values())
    packages = {path.relative_to(root).parts[0] for path in files}
    files |= {root / name for name in named if name.endswith(".json") and (root / name).is_file()}
    return files | {
        path
        for package in packages
        for path in (root / package).rglob("*.*")
        if path.suffix not in (".py", ".pyc") and {path.name, path.stem} & named
    }


@lru_cache
def mentions(source: str, package: str = "") -> tuple[dict[str, str], frozenset[str]]:
    """Return what the source imports (name: the dotted name it stands for), and its strings."""
    imported, strings = {}, set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            node.body = [ast.Pass()]  # never imported when the page runs
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")
            parts = above[: len(above) - node.level + 1] if node.level else []
            origin = ".".join([*parts, *([node.module] if node.module else [])])
            imported |= {name.asname or name.name: f"{origin}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.add(node.value)
    return imported, frozenset(strings)


def longest_module(root: Path, name: str) -> tuple[str, str]:
    """Split `package.module.attribute` into the part that is a module here, and the rest."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        if module_file(root, parts[:end]).exists():
            return ".".join(parts[:end]), ".".join(parts[end:])
    return "", name


def module_file(root: Path, parts: list[str]) -> Path:
    """Return where the source of a module with these name parts would lie."""
    base = root.joinpath(*parts)
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
