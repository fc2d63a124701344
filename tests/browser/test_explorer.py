"""The ten models side by side: used by keyboard, true to its data, readable without JavaScript."""

import re

import pytest

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
    """Choose an option as a keyboard user does: type its beginning."""
    tab.locator(f"select[name={name}]").focus()
    tab.keyboard.type(label)


def marks(tab):
    return set(tab.locator(".explorer-steps mark").all_inner_texts())


def test_two_models_picked_by_keyboard_are_compared(explorer):
    pick(explorer, "left", "roberta")
    pick(explorer, "right", "deberta")
    headings = explorer.locator(".explorer-facts th[scope=col]").all_inner_texts()
    assert headings == ["roberta", "deberta"]
    assert marks(explorer) == {"other line", "other part", "only in roberta", "only in deberta"}
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
    first = costs.inner_text()
    pick(explorer, "tokens", "512")
    assert costs.inner_text() != first
    longer = costs.inner_text()
    head = 2 * 512 * 768 * (768 + 30_522)
    assert longer == f"{(flops(VARIANTS['bert-base'], 512) + head) / 1e9:.3g} G"
    pick(explorer, "batch", "8")
    assert costs.inner_text() != longer
    scores = explorer.locator(".explorer-steps tr", has_text="weights = scores.softmax").first
    shape = scores.locator(".explorer-shape").first.inner_text().split()
    assert shape == ["b", "8", "h", "12", "q", "512", "k", "512"]
    pick(explorer, "tokens", "1,024")
    assert costs.inner_text() == "too long"
    assert explorer.complaints == []


def test_the_same_model_twice_does_not_differ(explorer):
    pick(explorer, "right", "bert-base")
    assert marks(explorer) == set()
    explorer.locator("input[name=differing]").press("Space")
    assert explorer.get_by_text("nothing differs here").count() == 3


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
