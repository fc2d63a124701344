"""Nobody is kept out: axe-core's rules on every page, light and dark, desktop and phone."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.browser.pages import PAGES, visit

LOOKS = [
    (scheme, size)
    for scheme in ("light", "dark")
    for size in ({"width": 1300, "height": 900}, {"width": 390, "height": 844})
]
# What a reader can unfold is read as well. Of the many coloured words in code one of each colour
# is enough, and of a long table the first rows; the rest is alike, and takes minutes.
PREPARE = """() => {
  document.querySelectorAll('details').forEach(details => details.open = true)
  document.querySelectorAll('button.toggle-button-hidden').forEach(button => button.click())
  const seen = new Set()
  for (const word of document.querySelectorAll('pre span')) {
    if (seen.has(word.className)) word.replaceWith(...word.childNodes)
    seen.add(word.className)
  }
  document.querySelectorAll('pre').forEach(code => code.normalize())
  document.querySelectorAll('tr:nth-child(n + 9)').forEach(row => row.remove())
}"""
# Colours fade when a look changes, and axe-core must not measure them halfway.
HOLD_STILL = "*, *::before, *::after { transition: none !important; animation: none !important }"
# The inside of a formula is drawn; its words lie beside it.
GRAVE = """async () => {
  const { violations } = await axe.run(
    { exclude: ['mjx-container'] }, { resultTypes: ['violations'] })
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0].html.slice(0, 200)}`)
}"""


def grave_violations(tab):
    """What axe-core calls serious or critical, in every look of the page that a tab shows."""
    tab.evaluate(PREPARE)
    tab.add_style_tag(content=HOLD_STILL)
    tab.evaluate(AXE_SCRIPT)
    found = []
    for scheme, size in LOOKS:
        tab.emulate_media(color_scheme=scheme)
        tab.set_viewport_size(size)
        tab.wait_for_timeout(400)  # so long the theme waits before it says what scrolls now
        found += [f"{scheme}, {size['width']}: {line}" for line in tab.evaluate(GRAVE)]
    return found


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_a_serious_violation(tab, site, page):
    visit(tab, f"{site}/{page}")
    assert grave_violations(tab) == []


def test_the_rules_bite(tab, site):
    """A pale sentence and an image without words, planted on a page that has neither."""
    visit(tab, f"{site}/book/welcome.html")
    tab.evaluate("""document.querySelector('article').insertAdjacentHTML('beforeend',
      '<p style="color: #888; background: #777">pale</p><img src="../_static/logo.svg">')""")
    found = grave_violations(tab)
    assert len([line for line in found if "color-contrast" in line]) == len(LOOKS)
    assert len([line for line in found if "image-alt" in line]) == len(LOOKS)
