"""The ten models side by side: used by keyboard, true to its data, readable without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from course_lib.flops import flops
from course_lib.ledger import ledger
from course_lib.variants import VARIANTS

PAGE = "book/side_by_side.html"


@pytest.fixture
def explorer(tab, site):
    tab.goto(f"{site}/{PAGE}", wait_until="load")
    tab.locator(".explorer-controls").wait_for()
    return tab


def pick(tab, name, label):
    """Choose an option with the arrow keys; typed letters count as one word only when quick."""
    select = tab.locator(f"select[name={name}]")
    options = select.locator("option").all_inner_texts()
    select.focus()
    tab.keyboard.press("Home")
    for _ in range(options.index(label)):
        tab.keyboard.press("ArrowDown")


def marks(tab):
    return set(tab.locator(".explorer-steps mark").all_inner_texts())


def test_two_models_picked_by_keyboard_are_compared(explorer):
    pick(explorer, "left", "roberta")
    pick(explorer, "right", "deberta")
    headings = ["roberta", "deberta"]
    expect(explorer.locator(".explorer-facts th[scope=col]")).to_have_text(headings)
    only = {f"only in {name}" for name in headings}
    assert marks(explorer) == {"other size", "other line", "other part"} | only
    facts = explorer.locator(".explorer-facts").inner_text()
    for name in headings:
        assert f"{ledger(name).total:,}" in facts
    assert "between roberta and deberta" in explorer.locator(".explorer-summary").inner_text()
    assert explorer.locator(".ledger-chart .chosen").count() == 2
    assert explorer.complaints == []


def test_tab_reaches_every_control(explorer):
    explorer.locator("select[name=left]").focus()
    reached = []
    for _ in range(5):
        reached.append(explorer.evaluate("document.activeElement.name"))
        explorer.keyboard.press("Tab")
    assert reached == ["left", "right", "batch", "tokens", "differing"]


def test_length_and_batch_change_the_numbers(explorer):
    costs = explorer.locator(".explorer-facts tr", has_text="FLOPs").locator("td").first
    expect(costs).to_have_text(gigaflops(128))
    pick(explorer, "tokens", "512")
    expect(costs).to_have_text(gigaflops(512))
    pick(explorer, "batch", "8")
    expect(costs).to_have_text(gigaflops(512, batch=8))
    scores = explorer.locator(".explorer-steps tr", has_text="weights = scores.softmax").first
    shape = scores.locator(".explorer-shape").first.inner_text().split()
    assert shape == ["b", "8", "h", "12", "q", "512", "k", "512"]
    pick(explorer, "tokens", "1,024")
    expect(costs).to_have_text("too long")
    assert explorer.complaints == []


def gigaflops(tokens, batch=1):
    """What BERT-base costs with its head, as the page writes it."""
    head = 2 * tokens * 768 * (768 + 30_522)
    return f"{batch * (flops(VARIANTS['bert-base'], tokens) + head) / 1e9:.3g} G"


def test_the_same_model_twice_does_not_differ(explorer):
    pick(explorer, "right", "bert-base")
    expect(explorer.locator(".explorer-steps mark")).to_have_count(0)
    explorer.locator("input[name=differing]").press("Space")
    expect(explorer.get_by_text("nothing differs here")).to_have_count(3)


def test_a_step_opens_on_its_function(explorer):
    step = explorer.locator(".explorer-steps details").first
    step.locator("summary").press("Enter")
    assert "self.token(input_ids)" in step.locator("pre b").inner_text()


def test_without_javascript_there_is_a_table(chromium, site):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/{PAGE}")
    overview = page.locator(".explorer-plain > table")
    assert overview.is_visible()
    assert overview.locator("tbody tr").count() == len(VARIANTS)
    assert page.locator(".explorer-plain details").count() == len(VARIANTS)
    assert page.locator(".explorer-controls").count() == 0
    context.close()


def test_the_page_is_light_enough(html):
    text = (html / PAGE).read_text(encoding="utf-8")
    assert len(text.encode()) < 2_000_000
    assert not re.search(r'(?:src|href)="(?:https?:)?//[^"]*explorer', text)
