"""The reference of the library is whole: no public name lacks a docstring or its place."""

import importlib
import inspect
import pkgutil
import re

import pytest
from reference import module_text

import course_lib
from tests.conftest import ROOT

MODULES = ["course_lib"] + [
    found.name
    for found in pkgutil.walk_packages(course_lib.__path__, "course_lib.")
    if not found.name.endswith("__main__") and found.name != "course_lib.bricks"
]
PLACED = [
    (page.stem, module)
    for page in sorted((ROOT / "book").glob("reference*.md"))
    for module in re.findall(r"```\{library\} (\S+)", page.read_text(encoding="utf-8"))
]


def public(holder, module):
    """The functions and classes that a module, or a class of it, defines under a public name."""
    for name, value in vars(holder).items():
        value = getattr(value, "__func__", value)
        value = value.fget if isinstance(value, property) else value
        if name.startswith("_") or not (inspect.isfunction(value) or inspect.isclass(value)):
            continue
        if value.__module__ == module and value.__name__ != "<lambda>":
            yield f"{holder.__qualname__}.{name}" if inspect.isclass(holder) else name, value


def everything(module):
    """All public functions, classes and methods of a module, found by importing it."""
    found = importlib.import_module(module)
    for name, value in public(found, module):
        yield name, value
        if inspect.isclass(value):
            yield from public(value, module)


def test_every_module_has_one_place():
    assert sorted(module for _, module in PLACED) == sorted(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_a_docstring(module):
    assert inspect.getdoc(importlib.import_module(module))
    assert [name for name, value in everything(module) if not value.__doc__] == []


@pytest.mark.parametrize(("page", "module"), PLACED)
def test_every_public_name_stands_in_the_built_reference(html, page, module):
    built = (html / "book" / f"{page}.html").read_text(encoding="utf-8")
    ids = set(re.findall(r'id="(course_lib[\w.]*)"', built))
    wanted = {f"{module}.{name}" for name, _ in everything(module)}
    assert wanted - ids == set()
    assert "<blockquote" not in built  # as Markdown has it, an example's >>> quotes three times


def test_the_reference_says_what_the_source_says():
    text = "\n".join(module_text("course_lib.losses"))
    assert "{py:function} mlm(logits: Tensor, labels: Tensor) -> Tensor" in text
    assert "A mean over the masked positions, not a sum (Devlin et al. 2019, §3.1)." in text
    assert ":value: -100\n\n\n\nthe label of a position that asks for no prediction" in text
    text = "\n".join(module_text("course_lib.data"))
    assert "```pycon\n>>> clean(" in text and "'北京 天气&交通'\n```\n" in text
    text = "\n".join(module_text("course_lib.spec"))
    assert "vocabulary: int = 30_522, width: int = 768" in text
    assert "diff(a: ~course_lib.spec.Spec, b: ~course_lib.spec.Spec)" in text
