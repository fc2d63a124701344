"""CONTRIBUTING's chapter, built as it stands: its cells run and its number reaches the prose."""

import re

import pytest
from prose_numbers import typed_numbers

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
SECTION = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Adding a chapter\n")[1]
(CHAPTER,) = re.findall(r"````md\n(.*?)````", SECTION, re.DOTALL)


def test_the_chapter_is_built(book):
    book.write("book/second.md", CHAPTER)
    book.chapter("first", "print('fine')")
    build = book.build()
    assert build.status == 0, build.output
    assert "It has 23,440,896 of them." in re.sub(
        r"<[^>]+>", "", (book.root / "_build/html/book/second.html").read_text("utf-8")
    )
    assert "table-parameters" in (book.root / "_build/html/book/ledger.html").read_text("utf-8")


def test_it_types_no_measured_number():
    assert list(typed_numbers(CHAPTER)) == []
