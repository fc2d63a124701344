"""Every count against the reference library's exact ones, and the itemised tables against them."""

import doctest
import json
import math
from pathlib import Path

import pytest
import torch

from course_lib import VARIANTS, build
from course_lib import ledger as module
from course_lib.ledger import COUNTED, NO_TABLE, PUBLISHED, compare, count, items, ledger

ALL_HEADS = "with all pre-training heads"
LANGUAGE_MODEL = "masked language model"

KNOWN = json.loads((Path(__file__).parent / "parity" / "counts.json").read_text("utf-8"))
EXACT = {name: row["parameters"] for name, row in KNOWN["variants"].items() if name != "gpt2"}
GROUPS = KNOWN["groups"]


@pytest.mark.parametrize("name", EXACT)
def test_each_way_of_counting_gives_the_exact_number(name):
    pooled, *rest = EXACT[name]
    assert [count(name, way) for way in ("backbone", LANGUAGE_MODEL, ALL_HEADS)] == rest
    if pooled is None:
        with pytest.raises(ValueError, match="has no pooler"):
            count(name, "backbone and pooler")
    else:
        assert count(name, "backbone and pooler") == pooled


def test_gpt2_counts_the_same_with_and_without_its_head():
    ways = ("backbone", "causal language model", ALL_HEADS)
    assert {count("gpt2", way) for way in ways} == {124_439_808}


@pytest.mark.parametrize("name", GROUPS)
def test_embeddings_one_layer_and_pooler_are_itemised(name):
    known = GROUPS[name]
    found = ledger(name, "backbone and pooler" if "pooler" in known else "backbone")
    embeddings = known["embeddings"] + known.get("projection", 0)
    assert found.groups["embeddings"] == embeddings
    assert found.groups.get("relative positions", 0) == known.get("relative table", 0)
    assert found.groups.get("pooler", 0) == known.get("pooler", 0)
    in_layers = [item for item in found.items if item.group == "layers"]
    assert sum(item.each for item in in_layers) == known["one layer"]
    spec = VARIANTS[name]
    assert {item.times for item in in_layers} == {1 if spec.share_layers else spec.layers}


@pytest.mark.parametrize("name", VARIANTS)
def test_items_add_up_to_the_model(name):
    with torch.device("meta"):
        model = build(name, head="pretraining")
    found = items(model)
    assert sum(item.total for item in found) == sum(p.numel() for p in model.parameters())
    names = [(item.group, item.part) for item in found]
    assert len(names) == len(set(names))
    groups = [group for group, _ in names]
    assert groups == sorted(groups, key=groups.index)  # each group in one piece
    assert sum(ledger(name).groups.values()) == ledger(name).total


def test_special_tables_have_a_line_of_their_own():
    parts = {(i.group, i.part): i.total for i in ledger("deberta").items}
    assert parts["relative positions", "table"] == 786_432
    assert parts["heads", "mlm.position"] == 393_216
    spans = [i for i in ledger("spanbert").items if i.part.startswith("sbo.")]
    assert sum(i.total for i in spans) == 1_959_676
    far = [i for i in ledger("longformer").items if i.part.endswith("_global")]
    assert sum(i.total for i in far) == 21_261_312
    assert parts["embeddings", "token"] == 50_265 * 768
    distilled = items(build("tinybert-4l", head="distillation"))
    assert sum(i.total for i in distilled if i.group == "heads") == 5 * 240_384


@pytest.mark.parametrize(
    "comparison", compare().all, ids=lambda c: f"{c.name}-{c.published.figure}"
)
def test_a_published_figure_is_rounding_or_has_its_reason(comparison):
    published = comparison.published
    assert published.rounds_to(comparison.computed) == (not published.reason)
    assert comparison.difference == round(published.millions * 1e6) - comparison.computed
    assert comparison.row[-1].endswith(".")


def test_every_variant_has_a_published_figure_and_a_source_in_the_bibliography(root):
    assert list(PUBLISHED) == list(VARIANTS)
    bibliography = (root / "book" / "references.bib").read_text("utf-8")
    for figures in PUBLISHED.values():
        for published in figures:
            assert f"{{{published.citation}," in bibliography
            assert published.counted in (*COUNTED, NO_TABLE)


def test_docstring_example():
    assert doctest.testmod(module).failed == 0


def test_large_exceeds_what_any_of_its_tensors_give():
    most = max(count("bert-large", way) for way in COUNTED if not way.startswith("causal"))
    assert most == 336_226_108


def test_both_tables_print_every_number():
    text, page = str(ledger("bert-base")), ledger("bert-base")._repr_html_()
    for shown in ("30,522 × 768", "23,440,896", "110,106,428", "7,087,104"):
        assert shown in text
        assert shown in page
    assert str(compare(["gpt2"])).count("\n") == 1
    assert "−7,439,808" in str(compare(["gpt2"]))
    assert compare()._repr_html_().count("<tr>") == 1 + sum(map(len, PUBLISHED.values()))


def test_an_unknown_way_of_counting_names_the_known_ones():
    with pytest.raises(ValueError, match="Choose from: backbone, backbone and pooler"):
        ledger("bert-base", "embeddings")


def test_published_figures_round_at_their_own_digits():
    tiny = PUBLISHED["bert-tiny"][0]
    assert tiny.rounds_to(4_385_920)
    assert not tiny.rounds_to(4_349_999)
    assert math.isclose(tiny.millions, 4.4)
