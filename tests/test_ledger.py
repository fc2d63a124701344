"""Every count against the reference library's exact ones, and the itemised tables against them."""

import doctest
import math

import pytest
import torch

from course_lib import VARIANTS, build
from course_lib import ledger as module
from course_lib.ledger import COUNTED, NO_TABLE, PUBLISHED, compare, count, items, ledger

ALL_HEADS = "with all pre-training heads"
LANGUAGE_MODEL = "masked language model"

# (backbone and pooler, backbone, masked language model, all pre-training heads), as the reference
# library's classes have them with the published configurations; tied weights once. None: no pooler.
EXACT = {
    "bert-base": (109_482_240, 108_891_648, 109_514_298, 110_106_428),
    "bert-large": (335_141_888, 334_092_288, 335_174_458, 336_226_108),
    "roberta": (124_645_632, 124_055_040, 124_697_433, 124_697_433),
    "albert": (11_683_584, 11_092_992, 11_221_680, 11_813_810),
    "distilbert": (None, 66_362_880, 66_985_530, 66_985_530),
    "spanbert": (108_310_272, 107_719_680, 108_340_804, 110_300_480),
    "deberta": (139_192_320, 138_601_728, 139_244_121, 139_637_337),
    "longformer": (148_659_456, 148_068_864, 148_711_257, 148_711_257),
    "tinybert-4l": (14_350_248, 14_252_592, 14_381_394, 14_479_676),
    "bert-tiny": (4_385_920, 4_369_408, 4_416_698, 4_433_468),
}

# (embeddings, one layer, layers that have weights of their own, pooler)
BREAKDOWN = {
    "bert-base": (23_837_184, 7_087_872, 12, 590_592),
    "bert-large": (31_782_912, 12_596_224, 24, 1_049_600),
    "roberta": (39_000_576, 7_087_872, 12, 590_592),
    "albert": (3_906_048 + 99_072, 7_087_872, 1, 590_592),
    "distilbert": (23_835_648, 7_087_872, 6, 0),
    "spanbert": (22_665_216, 7_087_872, 12, 590_592),
    "deberta": (38_605_056, 8_267_520, 12, 590_592),
    "longformer": (41_753_088, 8_859_648, 12, 590_592),
    "tinybert-4l": (9_683_856, 1_142_184, 4, 97_656),
    "bert-tiny": (3_972_864, 198_272, 2, 16_512),
}


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


@pytest.mark.parametrize("name", BREAKDOWN)
def test_embeddings_one_layer_and_pooler_are_itemised(name):
    embeddings, layer, times, pooler = BREAKDOWN[name]
    way = "backbone and pooler" if pooler else "backbone"
    found = ledger(name, way)
    assert found.groups["embeddings"] == embeddings
    in_layers = [item for item in found.items if item.group == "layers"]
    assert {item.times for item in in_layers} == {times}
    assert sum(item.each for item in in_layers) == layer
    assert found.groups.get("pooler", 0) == pooler


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
