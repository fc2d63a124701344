"""claim(): a right measurement passes on, a wrong one is seen, a contradictory check is refused."""

import nbclient
import nbformat
import numpy as np
import pytest
import torch

from course_lib.claims import MIME, Claim, ClaimError, between, claim, near
from course_lib.show import table
from course_lib.tables import spelled


@pytest.fixture(autouse=True)
def lenient(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("COURSE_STRICT", raising=False)


@pytest.mark.parametrize(
    ("value", "check", "holds"),
    [
        (63.9, {"expect": 64, "within": 0.01}, True),
        (63.3, {"expect": 64, "within": 0.01}, False),
        (-63.9, {"expect": -64, "within": 0.01}, True),
        (7690, {"expect": 7690}, True),
        (7691, {"expect": 7690}, False),
        ("IndexError", {"expect": "IndexError"}, True),
        (0.3, {"above": 0.2}, True),
        (0.2, {"above": 0.2}, False),
        (0.3, {"above": 0.2, "below": 0.25}, False),
        (float("nan"), {"above": 0}, False),
        (float("nan"), {"expect": 1, "within": 1}, False),
        (lambda: [][0], {"raises": IndexError}, True),
        (lambda: [][0], {"raises": KeyError}, False),
        (lambda: 1, {"raises": IndexError}, False),
    ],
)
def test_a_claim_holds_exactly_where_it_should(monkeypatch, capsys, value, check, holds):
    claim("some-key", value, **check)
    assert ("✗ some-key" in capsys.readouterr().out) is not holds
    monkeypatch.setenv("COURSE_STRICT", "1")
    if holds:
        claim("some-key", value, **check)
    else:
        with pytest.raises(ClaimError, match="some-key"):
            claim("some-key", value, **check)


@pytest.mark.parametrize("scalar", [np.float64(2.5), np.float32(2.5), torch.tensor(2.5)])
def test_array_scalars_become_plain_numbers(scalar):
    assert type(claim("plain", scalar, expect=2.5)) is float


@pytest.mark.parametrize(
    "check",
    [
        {},
        {"expect": 1, "above": 0},
        {"within": 0.1, "above": 0},
        {"expect": "text", "within": 0.1},
        {"raises": ValueError, "below": 2},
    ],
)
def test_a_claim_needs_exactly_one_check(check):
    with pytest.raises(ValueError, match="Claim 'odd'"):
        claim("odd", 1, **check)


def test_only_one_number_can_be_claimed():
    with pytest.raises(ValueError, match="one number"):
        claim("many", torch.zeros(3), expect=0)


def test_in_a_notebook_a_claim_leaves_its_record_and_glues_its_value():
    code = "from course_lib.claims import claim\nclaim('kept', 3.0, above=2, ledger='B02');"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(book, kernel_name="python3").execute()
    data = [output["data"] for output in book.cells[0].outputs]
    record = next(bundle[MIME] for bundle in data if MIME in bundle)
    assert record == {
        "key": "kept",
        "value": 3.0,
        "expected": "above 2",
        "holds": True,
        "ledger": "B02",
    }
    assert any("3.0" in str(bundle) and MIME not in bundle for bundle in data)


def test_tables_are_markdown_with_short_floats():
    assert table(["a", "b"], [[1, 0.123456], ["x", 2.0]]).data == (
        "| a | b |\n| --- | --- |\n| 1 | 0.123 |\n| x | 2 |"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (30_522, "30,522"),
        (12, "12"),
        (0.123456, "0.1235"),
        (9_999.4, "9999"),
        (336_226_108.0, "336,226,108"),
        (-12_345.6, "-12,346"),
        (2.5e17, "2.5e+17"),
        (float("inf"), "inf"),
        ("30522", "30522"),
        (True, "True"),
    ],
)
def test_large_numbers_have_commas(value, text):
    assert spelled(value) == text


def test_a_claim_spells_its_numbers():
    assert "x = 30,522 (expected 30,522)" in str(Claim("x", 30_522, *near(30_522, 30_522, None)))
    assert between("x", 5, None, 3.395e8) == ("below 339,500,000", True)
