"""The book without a mouse: every control is reached, seen and used with keys alone."""

import pytest
from playwright.sync_api import expect

from tests.browser.pages import visit

FOCUSED = "document.activeElement"
# What has the focus, and whether anything shows that: an outline, a ring of shadow, or its place.
FOCUS = """() => {
  const focused = document.activeElement
  const element = focused.querySelector('.toctree-toggle') ?? focused
  const style = getComputedStyle(element)
  const box = element.getBoundingClientRect()
  return {
    name: element.outerHTML.slice(0, 120),
    end: focused === document.body,
    seen: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)
      || style.boxShadow !== 'none',
    there: box.width > 0 && box.height > 0,
  }
}"""


@pytest.fixture
def chapter(tab, site):
    visit(tab, f"{site}/book/gelu.html")
    return tab


def test_first_tab_offers_to_skip_to_the_text(chapter):
    chapter.keyboard.press("Tab")
    skip = chapter.get_by_text("Skip to main content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    chapter.keyboard.press("Enter")
    chapter.keyboard.press("Tab")
    assert chapter.evaluate(f"document.querySelector('main').contains({FOCUSED})")


def test_tab_walks_through_the_page_and_shows_where_it_is(chapter):
    walked = []
    for _ in range(400):
        chapter.keyboard.press("Tab")
        focus = chapter.evaluate(FOCUS)
        if focus["end"]:
            break
        walked.append(focus)
    assert focus["end"], "the focus is trapped"
    assert len(walked) > 50
    assert [focus["name"] for focus in walked if not focus["there"]] == []
    assert [focus["name"] for focus in walked if not focus["seen"]] == []


def test_contents_lead_to_a_chapter(chapter):
    link = chapter.locator("nav.bd-docs-nav").get_by_role("link", name="Why attention")
    link.focus()
    chapter.keyboard.press("Enter")
    chapter.wait_for_url("**/why_attention.html")


def test_next_and_previous(chapter):
    chapter.locator("a.right-next").press("Enter")
    chapter.wait_for_url("**/norm_placement.html")
    chapter.locator("a.left-prev").press("Enter")
    chapter.wait_for_url("**/gelu.html")


def test_search_opens_asks_and_closes(chapter):
    chapter.keyboard.press("Control+k")
    field = chapter.locator(".search-button__search-container input")
    expect(field).to_be_focused()
    chapter.keyboard.press("Escape")
    expect(field).not_to_be_visible()
    chapter.keyboard.press("Control+k")
    chapter.keyboard.type("notation")
    chapter.keyboard.press("Enter")
    chapter.wait_for_url("**/search.html?q=notation")
    chapter.locator("#search-results li a").first.wait_for()


def test_solutions_unfold_and_fold(chapter):
    solution = chapter.locator(".admonition.dropdown").first
    button, answer = solution.locator("button.toggle-button"), solution.locator(":scope > section")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(answer.first).not_to_be_visible()
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(answer.first).to_be_visible()
    button.press("Space")
    expect(answer.first).not_to_be_visible()


def test_hidden_code_unfolds(chapter):
    cell = chapter.locator("details.hide").first
    cell.locator("summary").press("Enter")
    expect(cell.locator("pre").first).to_be_visible()


def test_light_and_dark_change_places(chapter):
    theme = "document.documentElement.dataset.mode"
    seen = set()
    for _ in range(3):
        chapter.locator("button.theme-switch-button").press("Enter")
        seen.add(chapter.evaluate(theme))
    assert seen == {"light", "dark", "auto"}


def test_contents_open_on_a_phone(tab, site):
    tab.set_viewport_size({"width": 390, "height": 844})
    visit(tab, f"{site}/book/gelu.html")
    link = tab.locator("nav.bd-docs-nav").get_by_role("link", name="Why attention")
    expect(link).not_to_be_in_viewport()
    tab.locator("button.primary-toggle").press("Enter")
    expect(link).to_be_in_viewport()
    # the theme moves the focus to the first entry a tenth of a second after the menu opens
    expect(tab.locator(".bd-sidebar-primary").locator("a, button").first).to_be_focused()
    link.press("Enter")
    tab.wait_for_url("**/why_attention.html")
