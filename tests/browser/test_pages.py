"""Every built page in a real browser, with all other hosts out of reach."""

import re
from urllib.parse import urldefrag

import pytest

from tests.conftest import ROOT

HTML = ROOT / "_build" / "html"
# Without a build there is still one test, and it says so: the `html` fixture fails it.
PAGES = sorted(
    path.relative_to(HTML).as_posix()
    for path in HTML.rglob("*.html")
    if "_static" not in path.parts and path.name != "index.html"
) or ["search.html"]
CHAPTERS = [page for page in PAGES if page.startswith("book/")] or PAGES

MATH_IS_READY = "window.MathJax?.startup?.promise.then(() => true) ?? true"
PROSE = """() => {
  const article = document.querySelector('article')?.cloneNode(true)
  article?.querySelectorAll('pre, code, script, mjx-container').forEach(e => e.remove())
  return article?.textContent ?? ''
}"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """() => [...document.querySelectorAll('article *')]
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .slice(0, 3).map(e => e.outerHTML.slice(0, 120))"""
FIGURES = """() => [...document.querySelectorAll('article img')]
  .map(image => ({src: image.getAttribute('src'), width: image.naturalWidth,
                  alt: image.getAttribute('alt')}))"""


def visit(tab, address):
    tab.goto(address, wait_until="load")
    tab.evaluate(MATH_IS_READY)


@pytest.mark.parametrize("page", PAGES)
def test_page_is_whole(tab, site, page):
    """No complaint from the browser, formulas typeset, figures there."""
    visit(tab, f"{site}/{page}")
    formulas = tab.locator("article .math").count()
    assert tab.locator("article .math mjx-container").count() >= formulas
    raw_tex = r"\$\$|\\[(\[]|\\(?!u[0-9a-f]{4}|x[0-9a-f]{2})[a-z]{3}"  # \uffff is no formula
    assert not re.search(raw_tex, tab.evaluate(PROSE)), "raw TeX in the prose"
    assert not tab.locator("mjx-merror").count(), "a formula does not parse"
    broken = [figure for figure in tab.evaluate(FIGURES) if not figure["width"]]
    assert not broken
    assert tab.complaints == []


@pytest.mark.parametrize("page", PAGES)
def test_page_works_from_disk(tab, html, page):
    visit(tab, (html / page).as_uri())
    assert tab.locator("article .math:not(:has(mjx-container))").count() == 0
    assert tab.complaints == []


@pytest.mark.parametrize("page", PAGES)
def test_phone_does_not_scroll_sideways(tab, site, page):
    tab.set_viewport_size({"width": 390, "height": 844})
    visit(tab, f"{site}/{page}")
    assert tab.evaluate(SIDEWAYS) <= 0, tab.evaluate(WIDEST)
    assert tab.complaints == []


@pytest.mark.parametrize("page", PAGES)
def test_internal_links_resolve(tab, site, html, page):
    visit(tab, f"{site}/{page}")
    links = set(tab.evaluate("[...document.links].map(link => link.href)"))
    internal = [link for link in links if link.startswith(site)]
    assert internal
    missing = []
    for link in internal:
        address, anchor = urldefrag(link)
        target = html / address.removeprefix(f"{site}/").partition("?")[0]
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            missing.append(link)
        elif anchor and f'id="{anchor}"' not in target.read_text(encoding="utf-8"):
            missing.append(link)
    assert missing == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_dark_mode_keeps_text_readable(tab, site, page):
    tab.emulate_media(color_scheme="dark")
    visit(tab, f"{site}/{page}")
    light = """selector => getComputedStyle(document.querySelector(selector))
      .COLOR.match(/[0-9.]+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 3"""
    text = tab.evaluate(light.replace("COLOR", "color"), "article p")
    ground = tab.evaluate(light.replace("COLOR", "backgroundColor"), "body")
    assert ground < 60 < 160 < text


def test_search_finds_a_word(tab, site):
    visit(tab, f"{site}/search.html?q=notation")
    tab.locator("#search-results li a").first.wait_for()
    found = tab.locator("#search-results li a").all_inner_texts()
    assert "Notation" in found
    assert tab.complaints == []


def test_search_works_from_disk(tab, html):
    visit(tab, (html / "search.html").as_uri() + "?q=notation")
    tab.locator("#search-results li a").first.wait_for()
    assert tab.complaints == []


def test_front_door_leads_to_the_welcome_page(tab, site):
    tab.goto(site)
    tab.wait_for_url("**/book/*.html")
    assert tab.locator("article h1").count() == 1
    assert tab.complaints == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_chapter_can_be_downloaded_as_a_notebook(tab, site, html, page):
    """Pages with code offer the notebook they came from, and say what they ran with."""
    visit(tab, f"{site}/{page}")
    has_code = tab.locator("div.cell").count() > 0
    links = tab.locator(".ran-with a[download]")
    assert links.count() == has_code
    if has_code:
        assert "torch" in tab.locator(".ran-with").inner_text()
        with tab.expect_download() as download:
            links.click()
        assert download.value.suggested_filename.endswith(".ipynb")
