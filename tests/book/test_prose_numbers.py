"""No chapter types a number that it should have measured."""

import pytest
from prose_numbers import typed_numbers

from tests.conftest import ROOT

PAGES = sorted((ROOT / "book").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_types_no_measured_number(page):
    assert list(typed_numbers(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("The variance is 0.98 here.", ["0.98"]),
        ("It is 3 times faster.\nSo 12 % remain.", ["3 times", "12 %"]),
        ("A step takes 5 ms.", ["5 ms"]),
        ("```{exercise}\nIt grew by 2.5.\n```", ["2.5"]),
        ("BERT masks 15 % of the tokens {cite:p}`devlin2019bert`. Here 14.9 %.", ["14.9 %"]),
        ("BERT masks [15 %]{.defined} of the tokens.", []),
        ("It has 12 layers and 768 columns.", []),
        (
            "The variance is {glue}`variance`, as $0.98$ or `0.98` in Python 3.11, version 1.0.4.",
            [],
        ),
        ("```{code-cell} python3\nx = 0.98\n```", []),
        ("```python\nx = 0.98\n```", []),
        ("---\nversion: 0.12\n---\n\nText.", []),
        ("As Section 3.2 of the paper says.", []),
        ("“Weights are 80 %” is false.", []),
        ("It is\n\n$$\nx = 1.702 .\n$$", []),
    ],
)
def test_what_counts_as_typed(text, numbers):
    assert [number for _, number in typed_numbers(text)] == numbers


def test_the_line_is_named():
    assert list(typed_numbers("One.\n\nTwo\nis 0.5.\nThree is 0.6.")) == [(4, "0.5"), (5, "0.6")]
