"""Each way a Jupyter Book quietly goes wrong, tried on a book of two chapters.

The tests of this file follow each other: each changes the book that the last one left.
"""

import json

import pytest
from claims_ledger import CLAIM_MIME

from tests.book.conftest import claiming

pytestmark = pytest.mark.slow


def outputs(book, chapter):
    notebook = json.loads((book.root / f"_build/jupyter_execute/book/{chapter}.ipynb").read_text())
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def page(book, name):
    return (book.root / f"_build/html/book/{name}.html").read_text()


def test_first_build_executes_every_chapter(book):
    build = book.build()
    assert build.status == 0, build.output
    assert build.executed == {"first", "second"}
    assert "one is 1" in page(book, "first")
    assert "X01" in page(book, "ledger")


def test_warm_build_executes_nothing_and_loses_nothing(book):
    build = book.build()
    assert build.status == 0, build.output
    assert build.executed == set()
    assert outputs(book, "first")[0]["text"] == ["one is 1\n"]
    assert outputs(book, "second")[0]["data"][CLAIM_MIME]["key"] == "two"
    assert "X01" in page(book, "ledger"), "the ledger forgot the claims of cached chapters"


def test_edit_to_a_module_executes_the_chapters_that_reach_it(book):
    book.write("lesson/three.py", "THREE = 4\n")
    build = book.build()
    assert build.status == 0, build.output
    assert build.executed == {"second"}


def test_change_of_the_lock_executes_everything(book):
    book.write("requirements.txt", "numpy==2.0\nsphinx==7.0\n")
    build = book.build()
    assert build.status == 0, build.output
    assert build.executed == {"first", "second"}


def test_chapter_that_raises_fails_every_build(book):
    book.chapter("first", "raise RuntimeError('planted')")
    for _ in range(2):
        build = book.build()
        assert build.status != 0
        assert "RuntimeError: planted" in build.output
        assert "chapters failed: book/first" in build.output


def test_warning_fails_every_build(book):
    book.chapter("first", "print('fine')\n```\n\nSee {ref}`nowhere`.\n\n```{code-cell} python3\n1")
    for _ in range(2):
        build = book.build()
        assert build.status != 0
        assert "nowhere" in build.output


def test_claim_that_is_off_fails_the_strict_build_only(book):
    book.chapter("first", "print('fine')")
    book.chapter("second", claiming(holds=False))
    build = book.build()
    assert build.status == 0, build.output
    assert "1 off here: two" in build.output
    strict = book.build(COURSE_STRICT="1")
    assert strict.status != 0
    assert strict.executed == set(), "the verdict must not depend on running the page again"
    assert "claim 'two' is off" in strict.output


def test_files_outside_the_contents_are_not_published(book):
    solution = {"cell_type": "markdown", "metadata": {}, "source": "CANARY"}
    notebook = {"cells": [solution], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    book.write("assignments/source/a/a.ipynb", json.dumps(notebook))
    book.write(".venv/lib/some_package/README.md", "# CANARY\n")
    build = book.build()
    assert build.status == 0, build.output
    files = [path for path in (book.root / "_build").rglob("*") if path.is_file()]
    assert not [path for path in files if b"CANARY" in path.read_bytes()]
