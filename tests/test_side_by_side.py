"""The data behind the explorer: true to the full-size models, and small."""

import json
import re

import pytest

from course_lib import VARIANTS
from course_lib.flops import flops
from course_lib.ledger import ledger
from course_lib.side_by_side import LENGTHS, Chart, Explorer, function_at, model, one_layer, traced


@pytest.mark.parametrize("name", VARIANTS)
def test_one_layer_stands_for_all(name):
    """What the rows add up to is what the formula says of the whole model, and the head."""
    each = model(name)
    head = sum(row.flops[1] for row in each.rows if row.module == "head")
    assert each.flops(128) == flops(VARIANTS[name], 128) + head
    assert all(row.code and row.function for row in each.rows)
    assert each.total == ledger(name).total


@pytest.mark.parametrize("name", ["bert-base", "deberta", "longformer"])
def test_a_batch_scales_what_has_a_batch_axis(name):
    """The explorer multiplies by the batch exactly where `b` is an axis."""
    rows = model(name).rows
    steps = {(s.file, s.line): s for s in traced(one_layer(VARIANTS[name]), 128, batch=3)}
    for row in rows:
        step = steps[row.file, row.line]
        assert step.flops == row.flops[1] * (3 if "b" in row.axes else 1), row
        scaled = [3 if a == "b" else n for a, n in zip(row.axes, row.shapes[1], strict=True)]
        assert list(step.shape) == scaled, row


def test_lengths_stop_at_the_limit():
    assert len(model("bert-base").rows[0].shapes) == LENGTHS.index(512) + 1
    assert len(model("longformer").rows[0].shapes) == len(LENGTHS)


def test_a_line_that_only_hands_on_is_left_out():
    """BERT has no final norm: the line that would apply it does nothing there."""
    assert "hidden[-1] = x = self.norm(x)" not in [row.code for row in model("bert-base").rows]
    assert "hidden[-1] = x = self.norm(x)" in [row.code for row in model("gpt2").rows]


def test_a_line_names_the_parts_it_calls():
    """The same line of code can call another activation, another norm or another pattern."""
    found = {name: {row.code: row.uses for row in model(name).rows} for name in VARIANTS}
    activation = "x = self.activation(self.input(x))"
    assert found["bert-base"][activation] == "GELU"
    assert found["albert"][activation] == found["gpt2"][activation] == "GELUTanh"
    pairs = "pairs = self.pattern(i[:, None], j[None, :])"
    assert (found["bert-base"][pairs], found["gpt2"][pairs]) == ("Full()", "Causal()")
    norm = "x = self.attention_norm(x + self.dropout(mixed))"
    assert found["roberta"][norm] == "LayerNorm ε 1e-05, Dropout 0.1"


def test_the_page_can_read_its_data():
    names = ["bert-tiny", "gpt2"]
    text = Explorer(names)._repr_html_()
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])
    assert [m["name"] for m in data["models"]] == names
    for m in data["models"]:
        for row in m["rows"]:
            assert row["code"].split()[0] in data["functions"][row["function"]]
    assert "<details>" in text and len(text) < 200_000


def test_the_function_around_a_line():
    start, text = function_at("bricks/feedforward.py", 23)
    assert text.startswith("def forward(self, x: Tensor) -> Tensor:")
    assert text.splitlines()[23 - start].strip().startswith("return self.output(x)")


def test_the_chart_has_a_bar_for_each_model():
    text = Chart()._repr_html_()
    assert text.count("<tr data-model=") == len(VARIANTS)
    for name in VARIANTS:
        assert f"{ledger(name).total:,}" in text
