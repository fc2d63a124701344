"""The common claims: complete, and each decided by a measurement or excused with a reason."""

import json
import re

import pytest

from course_lib import claims as library

VERDICTS = {"true", "half true", "false", "not decidable"}
LITERAL = re.compile(r"ledger=\"([^\"{]+)\"")


@pytest.fixture(scope="module")
def entries(root):
    return json.loads((root / "book" / "claims.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages(root):
    return {path.stem: path.read_text(encoding="utf-8") for path in (root / "book").glob("*.md")}


def test_no_number_is_missing(entries):
    wanted = [f"{part}{n:02}" for part, last in (("A", 93), ("B", 55), ("C", 96))
              for n in range(1, last + 1)]  # fmt: skip
    assert list(entries) == wanted


def test_each_is_a_sentence_with_a_verdict(entries):
    for number, entry in entries.items():
        assert entry["verdict"] in VERDICTS, number
        assert entry["claim"].endswith("."), number
        assert set(entry) in ({"claim", "verdict"}, {"claim", "verdict", "chapter", "reason"})
    sentences = [entry["claim"] for entry in entries.values()]
    assert len(set(sentences)) == len(sentences)


def test_reasons_name_a_chapter_that_exists(entries, pages):
    named = {entry["chapter"] for entry in entries.values() if "chapter" in entry}
    assert named - set(pages) == set()


def test_pages_name_no_claim_that_does_not_exist(entries, pages):
    used = {number for text in pages.values() for number in LITERAL.findall(text)}
    assert used - set(entries) == set()
    assert len(used) > 150


def test_every_claim_is_measured_or_excused(html, entries):
    """What the executed pages recorded, so a number that a loop fills in counts too."""
    measured = set()
    for path in (html.parent / "jupyter_execute").rglob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                record = output.get("data", {}).get(library.MIME)
                measured |= {record["ledger"]} if record else set()
    measured.discard(None)
    assert measured - set(entries) == set()
    silent = [n for n, entry in entries.items() if n not in measured and "reason" not in entry]
    assert silent == []
    # A reason beside a measurement would be read by nobody, and would be wrong.
    assert [n for n in measured if "reason" in entries[n]] == []
