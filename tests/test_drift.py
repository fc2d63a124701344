"""Which claims move with newer libraries: the comparison, on claims and packages made up for it."""

from pathlib import Path

import drift
import nbformat
import pytest
from claims_ledger import CLAIM_MIME, Claim


def claims(**values):
    """Claims of one page that hold below 100; the key is the name."""
    return {
        ("book/page", key): Claim("book/page", key, value, "below 100", value < 100, "")
        for key, value in values.items()
    }


def test_only_what_differs_moves_and_what_is_off_comes_first():
    before = claims(same=1.0, little=50.0, far=40.0, off=99.0, gone=1.0)
    after = claims(same=1.0, little=50.5, far=60.0, off=198.0, new=2.0)
    found = drift.moves(before, after)
    assert [(move.key, move.verdict) for move in found] == [
        ("off", "OFF"), ("gone", "gone"), ("new", "new"),
        ("far", "still holds"), ("little", "still holds"),
    ]  # fmt: skip
    assert [move.relative for move in found] == [1.0, None, None, 0.5, pytest.approx(0.01)]


def test_a_change_is_relative_to_the_size_of_the_locked_value():
    def relative(before, after):
        (move,) = drift.moves(claims(x=before), claims(x=after))
        return move.relative

    assert relative(-4.0, -5.0) == -0.25
    assert relative(0.0, 1.0) is None


def test_texts_move_without_a_share():
    was = Claim("book/page", "x", "KeyError", "raises", True, "")
    now = Claim("book/page", "x", "TypeError", "raises", False, "")
    (move,) = drift.moves({("book/page", "x"): was}, {("book/page", "x"): now})
    assert (move.relative, move.verdict) == (None, "OFF")


def test_the_report_names_all_of_it():
    moved = drift.moves(claims(off=50.0), claims(off=100.0))
    text = drift.report([("numpy", "2.3.0", "2.4.0")], moved, 7, [])
    assert "packages that changed: 1" in text and "numpy     2.3.0   2.4.0" in text
    assert "claims measured: 7, moved: 1" in text
    assert text.splitlines()[-1].split() == ["page", "off", "50", "100", "+100.00%", "OFF"]


def test_a_page_that_did_not_run_is_named_once():
    other = {("book/other", "x"): Claim("book/other", "x", 1.0, "1", True, "")}
    before, after = claims(a=1.0, b=2.0) | other, other
    assert drift.silent_pages(before, after) == ["book/page"]
    assert "to their end: book/page" in drift.report([], [], 1, ["book/page"])


def test_packages_are_the_same_however_they_are_spelled():
    lock = (
        "Jinja2==3.1.6\n    # via x\nbackports.zstd==1.0 ; python_version < '3.14'\ntorch==2.13.0\n"
    )
    locked = drift.locked_versions(lock)
    assert locked == {"jinja2": "3.1.6", "backports-zstd": "1.0", "torch": "2.13.0"}
    installed = {drift.plain("backports_zstd"): "1.1", "jinja2": "3.1.6", "torch": "2.13.0"}
    assert drift.changed_versions(locked, installed) == [("backports-zstd", "1.0", "1.1")]


def test_claims_are_read_from_executed_notebooks(tmp_path):
    record = {"key": "x", "value": 2.0, "expected": "2", "holds": True, "ledger": None}
    output = nbformat.v4.new_output("display_data", data={CLAIM_MIME: record})
    cell = nbformat.v4.new_code_cell("claim('x', 2.0, expect=2)", outputs=[output])
    path = tmp_path / "_build" / "jupyter_execute" / "book" / "page.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    wanted = {("book/page", "x"): Claim("book/page", "x", 2.0, "2", True, "")}
    assert drift.claims_of_book(tmp_path) == wanted
    assert drift.claims_of_runs(Path(tmp_path)) == {}


def test_without_a_built_book_there_is_nothing_to_compare_with(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(drift, "ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["drift.py"])
    assert drift.main() == 2
    assert "make book" in capsys.readouterr().err
