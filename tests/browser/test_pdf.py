"""The book on paper: set, printed, and nothing wider than the page."""

import shutil

import pytest
from pdf import assemble, find_browser, page_numbers, print_page

from tests.browser.pages import MATH_IS_READY

TOC = """
root: book/welcome
parts:
  - caption: One part
    chapters:
      - file: book/gelu
"""
BETWEEN_MARGINS = 642  # CSS pixels of an A4 page's 170 mm
CUT = """() => [...document.querySelectorAll('pre, table, img, mjx-container, p, li')]
  .filter(element => element.getBoundingClientRect().right > innerWidth + 2)
  .map(element => `${element.closest('section.chapter')?.id}: ${element.outerHTML.slice(0, 99)}`)"""


@pytest.mark.slow
def test_nothing_in_the_book_is_wider_than_a_page(tab, html, root, tmp_path):
    page = tmp_path / "book.html"
    page.write_text(assemble(root, html, {}), encoding="utf-8")
    tab.set_viewport_size({"width": BETWEEN_MARGINS, "height": 1000})
    tab.emulate_media(media="print")
    tab.goto(page.as_uri(), wait_until="load")
    tab.evaluate(MATH_IS_READY)
    assert tab.locator(".math:not(:has(mjx-container))").count() == 0
    assert tab.evaluate(CUT) == []
    assert tab.complaints == []


def test_a_small_book_prints(html, root, tmp_path):
    (tmp_path / "_toc.yml").write_text(TOC)
    shutil.copy(root / "_config.yml", tmp_path)
    page, pdf = tmp_path / "book.html", tmp_path / "book.pdf"
    page.write_text(assemble(tmp_path, html, {}), encoding="utf-8")
    print_page(find_browser(), page, pdf)
    printed = pdf.read_bytes()
    numbers = page_numbers(printed)
    assert numbers["welcome"] == 3, "after the title page and the contents"
    assert numbers["gelu"] > 3
    for bookmark in (b"Contents", b"One part", b"A first taste"):
        assert b"/Title (%b" % bookmark in printed


def test_a_missing_browser_is_said_plainly(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/no/such/program")
    with pytest.raises(SystemExit, match="apt-get install chromium"):
        find_browser()
