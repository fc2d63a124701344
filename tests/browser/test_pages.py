"""Every built page in a real browser, with all other hosts out of reach."""

import re
from urllib.parse import quote_plus, urldefrag

import pytest
from playwright.sync_api import expect

from tests.browser.pages import CHAPTERS, PAGES, visit

PROSE = """() => {
  const article = document.querySelector('article')?.cloneNode(true)
  article?.querySelectorAll('pre, code, script, mjx-container').forEach(e => e.remove())
  return article?.textContent ?? ''
}"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """() => [...document.querySelectorAll('article *')]
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .slice(0, 3).map(e => e.outerHTML.slice(0, 120))"""
# Figures wait until the reader comes near them; here they are all fetched at once.
FETCH_FIGURES = """() => Promise.all([...document.images].map(image => {
  image.loading = 'eager'
  return image.decode().catch(() => {})
}))"""
FIGURES = """() => [...document.querySelectorAll('article img')]
  .map(image => ({src: image.getAttribute('src'), width: image.naturalWidth,
                  alt: image.getAttribute('alt')}))"""


@pytest.mark.parametrize("page", PAGES)
def test_page_is_whole(tab, site, page):
    """No complaint from the browser, formulas typeset, figures there."""
    visit(tab, f"{site}/{page}")
    tab.evaluate(FETCH_FIGURES)
    formulas = tab.locator("article .math").count()
    assert tab.locator("article .math mjx-container").count() >= formulas
    raw_tex = r"\$\$|\\[(\[]|\\(?!u[0-9a-f]{4}|x[0-9a-f]{2})[a-z]{3}"  # \uffff is no formula
    assert not re.search(raw_tex, tab.evaluate(PROSE)), "raw TeX in the prose"
    assert not tab.locator("mjx-merror").count(), "a formula does not parse"
    broken = [figure for figure in tab.evaluate(FIGURES) if not figure["width"]]
    assert not broken
    assert tab.complaints == []


@pytest.mark.parametrize("page", ["book/choosing.html", "book/side_by_side.html"])
def test_words_and_numbers_in_tables_stay_whole(tab, site, page):
    """A wide table scrolls; in prose a long name may break anywhere."""
    visit(tab, f"{site}/{page}")
    wraps = "cells => cells.map(cell => getComputedStyle(cell).overflowWrap)"
    assert set(tab.locator("article table.table p").evaluate_all(wraps)) == {"normal"}


@pytest.mark.parametrize("page", PAGES)
def test_page_works_from_disk(tab, html, page):
    visit(tab, (html / page).as_uri())
    tab.evaluate(FETCH_FIGURES)
    assert tab.locator("article .math:not(:has(mjx-container))").count() == 0
    assert tab.complaints == []


@pytest.mark.parametrize(
    "request_elsewhere",
    [
        "fetch('https://example.org/count.json').catch(() => {})",
        "new Image().src = 'https://example.org/pixel.png'",
        "new WebSocket('wss://example.org/')",
    ],
)
def test_a_request_to_another_host_is_noticed(tab, site, request_elsewhere):
    visit(tab, f"{site}/search.html")
    tab.evaluate(f"void ({request_elsewhere})")
    tab.wait_for_timeout(200)
    assert any("example.org" in complaint for complaint in tab.complaints)


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


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("layer norm", "norm_placement"),
        ("warm-up", "norm_placement"),
        ("kv cache", "kv_cache"),
        ("masking", "better_objectives"),
        ("why divide by sqrt", "attention_variance"),
    ],
)
def test_search_leads_to_the_chapter(tab, site, query, page):
    """What a reader would type finds the chapter on it among the first three pages."""
    visit(tab, f"{site}/search.html?q={quote_plus(query)}")
    tab.locator("#search-results .search-summary").filter(has_text="found").wait_for()
    links = tab.locator("#search-results li a").evaluate_all("all => all.map(link => link.href)")
    pages = list(dict.fromkeys(urldefrag(link)[0].partition("?")[0] for link in links))
    assert f"{site}/book/{page}.html" in pages[:3]
    assert tab.complaints == []


@pytest.mark.parametrize("word", ["rotary", "longformer", "gelu"])
def test_search_puts_a_chapter_before_the_librarys_names(tab, site, word):
    visit(tab, f"{site}/search.html?q={word}")
    tab.locator("#search-results .search-summary").filter(has_text="found").wait_for()
    assert f"book/{word}.html" in tab.locator("#search-results li a").first.get_attribute("href")


def test_search_works_from_disk(tab, html):
    visit(tab, (html / "search.html").as_uri() + "?q=notation")
    tab.locator("#search-results li a").first.wait_for()
    assert tab.complaints == []


def test_front_door_leads_to_the_welcome_page(tab, site):
    tab.goto(site)
    tab.wait_for_url("**/book/*.html")
    assert tab.locator("article h1").count() == 1
    assert tab.complaints == []


def test_the_first_screen_says_where_to_start(tab, site):
    tab.set_viewport_size({"width": 1200, "height": 800})
    visit(tab, f"{site}/book/welcome.html")
    starts = tab.locator("article table").first.get_by_role("link").all()
    assert len(starts) >= 5
    for link in starts:
        expect(link).to_be_in_viewport(ratio=0.9)


def test_paper_shows_dark_pages_as_light_and_unfolded(tab, site):
    tab.emulate_media(color_scheme="dark")
    visit(tab, f"{site}/book/gelu.html")
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate("document.documentElement.dataset.theme") == "light"
    expect(tab.locator(".bd-sidebar-primary")).not_to_be_visible()
    expect(tab.locator("details.hide pre").first).to_be_visible()
    expect(tab.locator(".admonition.dropdown > section").first).to_be_visible()
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"


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


@pytest.mark.parametrize("missing", ["lost.html", "book/lost.html", "book/deeper/still/"])
def test_a_lost_reader_finds_the_way(tab, book_address, missing):
    """From the page that stands for a missing one, at any depth and under any folder."""
    response = tab.goto(f"{book_address}/{missing}")
    assert response.status == 404
    tab.locator("base").wait_for(state="attached")
    tab.get_by_label("Search").fill("notation")
    tab.keyboard.press("Enter")
    tab.locator("#search-results li a").first.wait_for()
    assert tab.url.startswith(f"{book_address}/search.html")
    tab.go_back()
    tab.locator("base").wait_for(state="attached")
    tab.get_by_role("link").click()
    tab.wait_for_url(f"{book_address}/book/welcome.html")
