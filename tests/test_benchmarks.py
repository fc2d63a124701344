"""The benchmarks' own machinery: what counts as a row, and where rows are kept."""

import json

import pytest
import torch

from benchmarks import __main__ as bench
from benchmarks.models import both
from benchmarks.pairs import (
    close,
    forward,
    full,
    models,
    reviews,
    share_of_padding,
    train_step,
)
from benchmarks.products import Products
from benchmarks.race import Row, race, spread


def row(work, ratio=1.0, noise=0.0, target=None):
    return Row(work, "peer", 1.0, 1.0, ratio, noise, target)


def test_a_fast_wrong_answer_is_no_row():
    with pytest.raises(AssertionError, match="differ, so no time counts"):
        race("sum", "peer", lambda: 1, lambda: 2, lambda a, b: a == b, 1.0, repeats=1)


def test_both_sides_run_equally_often_and_take_turns():
    calls = []
    made = race(
        "work",
        "peer",
        lambda: calls.append("ours"),
        lambda: calls.append("theirs"),
        lambda a, b: True,
        None,
        repeats=4,
    )
    warm, first, second = calls[:2], calls[2:4], calls[4:6]
    assert warm == first == ["ours", "theirs"] and second == ["theirs", "ours"]
    assert calls.count("ours") == calls.count("theirs") == 5
    assert made.ratio is not None and made.ratio > 0


def test_a_target_is_met_within_the_noise():
    assert row("a", 1.05, 0.06, 1.0).met is True
    assert row("a", 1.05, 0.04, 1.0).met is False
    assert row("a", 1.05, 0.04).met is None
    assert spread([1.0]) == 0.0 and spread([1.0, 2.0, 3.0]) == 0.5


def test_a_part_replaces_its_own_rows_only():
    old = [row("models: a"), row("models: b"), row("book: c")]
    whole = bench.merged(old, "models", [row("models: d")], whole=True)
    assert [r.work for r in whole] == ["models: d", "book: c"]
    single = bench.merged(old, "models", [row("models: b", 2.0)], whole=False)
    assert [(r.work, r.ratio) for r in single] == [
        ("models: a", 1.0),
        ("models: b", 2.0),
        ("book: c", 1.0),
    ]


def test_the_file_has_the_promised_form_and_comes_back(tmp_path):
    path = tmp_path / "results" / "latest.json"
    rows = [row("models: a", 0.5, 0.1, 1.0), Row("book: b", "", 2.0, None, None, None, None)]
    bench.write(path, rows)
    content = json.loads(path.read_text("utf-8"))
    assert set(content) == {"machine", "rows"}
    fields = ["work", "peer", "ours_s", "peer_s", "ratio", "spread", "target"]
    assert [list(entry) for entry in content["rows"]] == [fields, fields]
    assert bench.read(path) == rows
    assert "met" in bench.as_table(rows) and "–" in bench.as_table(rows)


def test_batches_of_reviews_are_two_thirds_padding():
    batch = reviews("bert-base")
    lengths = batch["attention_mask"].sum(dim=1).tolist()
    assert len(lengths) == 16 and max(lengths) == 256
    assert abs(share_of_padding(lengths) - 2 / 3) < 0.02


def test_ours_and_the_reference_get_the_same_weights():
    """The whole of a row, on the smallest model and a batch that takes no time."""
    ours, theirs = models("bert-tiny")
    batch = full("bert-tiny", 2, 5)
    found = list(both("small", ours, theirs, batch, 1.0, repeats=1))
    assert [r.work for r in found] == ["small: forward", "small: train step"]
    with torch.no_grad():
        next(ours.parameters()).mul_(1.5)
        next(theirs.parameters()).mul_(0.5)
    with pytest.raises(AssertionError, match="differ"):
        list(both("small", ours, theirs, batch, 1.0, repeats=1))


def test_close_sees_a_swapped_activation():
    x = torch.linspace(-3, 3, 100)
    gelu = torch.nn.functional.gelu
    assert close(gelu(x), gelu(x))
    assert not close(gelu(x, approximate="tanh"), gelu(x))


def test_the_products_of_a_pass_are_all_kept_and_can_run_again():
    ours, _ = models("bert-tiny")
    with Products() as products:
        forward(ours, full("bert-tiny", 2, 8))()
    names = [op.overloadpacket.__name__ for op, _, _ in products.calls]
    # two layers: queries, keys, values, attention, output, two of feed-forward
    assert names.count("addmm") == 2 * 6
    assert sum("attention" in name for name in names) == 2 and len(names) == 2 * 7
    products.again()
    with Products() as again:
        train_step(ours, full("bert-tiny", 2, 8))()
    assert len(again.calls) > 2 * len(names)
